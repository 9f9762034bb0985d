/* remainders of 32 bits by constants */
typedef unsigned int number;
typedef unsigned int given;
#include "../remainders.h"

void remainders32(const struct event *ev, struct state *st)
{
	REMAINDERS;
	GREAT_REMAINDER;
}
