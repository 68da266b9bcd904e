#include "common/failpoint.hpp"
