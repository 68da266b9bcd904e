#include "common/digest.hpp"
