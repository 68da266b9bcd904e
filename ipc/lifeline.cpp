#include "ipc/lifeline.hpp"
