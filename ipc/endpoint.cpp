#include "ipc/endpoint.hpp"
