#include "ipc/worker_channel.hpp"
