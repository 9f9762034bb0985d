/* tight: an array of structs of 24 bytes, by index */
#include "event.h"

struct state {
	struct {
		u64 a;
		u32 b;
		u16 c;
	} t[32];
};

void structs_up(const struct event *ev, struct state *st)
{
	for (u32 i = 0; i < 32; i++) {
		st->t[i].a += ev->arg[0];
		st->t[i].b ^= i;
		st->t[i].c++;
	}
}
