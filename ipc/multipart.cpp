#include "ipc/client_channel.hpp"
