/* remainders of the low 32 bits of 64 by constants */
typedef unsigned int number;
typedef unsigned long given;
#include "../remainders.h"

void remainders_low(const struct event *ev, struct state *st)
{
	REMAINDERS;
	GREAT_REMAINDER;
}
