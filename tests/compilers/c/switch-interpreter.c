/* an interpreter: a jump table in a loop, with an index that is masked */
#include "event.h"

struct state {
	u8 code[48];
	u64 reg[4];
	u32 bad;
};

void switch_interpreter(const struct event *ev, struct state *st)
{
	u64 a = ev->arg[0], b = ev->arg[1];

	for (u32 pc = 0; pc < sizeof(st->code); pc++) {
		switch (st->code[pc] & 15) {
		case 0: return;
		case 1: a += b; break;
		case 2: a -= b; break;
		case 3: a ^= b; break;
		case 4: b = a; break;
		case 5: st->reg[a & 3] = b; break;
		case 6: b = st->reg[a & 3]; break;
		case 7: a = a << 1 | a >> 63; break;
		case 8: a = ~a; break;
		case 9: b++; break;
		case 10: if (a & 1) b = 0; break;
		default: st->bad++; break;
		}
	}
	st->reg[0] = a;
}
