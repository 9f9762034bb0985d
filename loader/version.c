#include "ward/ward.h"

const char *ward_version(void)
{
	return WARD_VERSION;
}
