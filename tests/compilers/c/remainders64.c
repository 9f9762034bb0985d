/* remainders of 64 bits by constants */
typedef unsigned long number;
typedef unsigned long given;
#include "../remainders.h"

void remainders64(const struct event *ev, struct state *st)
{
	REMAINDERS;
	GREAT_REMAINDER;
}
