#include "thunks.c"
