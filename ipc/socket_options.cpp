#include "ipc/socket_options.hpp"
