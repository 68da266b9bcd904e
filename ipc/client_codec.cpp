#include "ipc/client_codec.hpp"
