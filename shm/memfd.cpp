#include "shm/segment.hpp"
