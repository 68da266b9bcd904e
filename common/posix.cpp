#include "common/posix.hpp"
