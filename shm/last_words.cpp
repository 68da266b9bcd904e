#include "shm/last_words.hpp"
