/* digits up to the first that is none */
#include "event.h"

struct state {
	u64 value;
	char s[20];
};

void parse_decimal(const struct event *ev, struct state *st)
{
	(void)ev;
	u64 v = 0;
	for (u32 i = 0; i < 20; i++) {
		u32 d = (u32)st->s[i] - '0';
		if (d > 9)
			break;
		v = v * 10 + d;
	}
	st->value = v;
}
