/* a switch in a loop */
#include "event.h"

struct state {
	u32 state, count[6];
	u8 in[24];
};

void state_machine(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 s = st->state % 6;
	for (int i = 0; i < 24; i++) {
		switch (s) {
		case 0: s = st->in[i] == '"' ? 1 : st->in[i] == '/' ? 3 : 0; break;
		case 1: s = st->in[i] == '\\' ? 2 : st->in[i] == '"' ? 0 : 1; break;
		case 2: s = 1; break;
		case 3: s = st->in[i] == '*' ? 4 : 0; break;
		case 4: s = st->in[i] == '*' ? 5 : 4; break;
		case 5: s = st->in[i] == '/' ? 0 : st->in[i] == '*' ? 5 : 4; break;
		}
		st->count[s]++;
	}
	st->state = s;
}
