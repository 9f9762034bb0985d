/* imports.c, to be compiled so that its calls go through a table of addresses. */
#include "imports.c"
