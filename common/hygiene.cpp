#include "common/hygiene.hpp"
