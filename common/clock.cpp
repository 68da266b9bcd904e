#include "common/clock.hpp"
