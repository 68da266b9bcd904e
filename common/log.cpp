#include "common/log.hpp"
