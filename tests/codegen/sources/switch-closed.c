/* A switch whose author says that there is no other case: LLVM makes a table of it without a test of the index, so nothing bounds the index. */
#include <ward/probe.h>

struct ward_state {
	uint64_t sum, seen[4];
};

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t a = ev->arg[1], b = ev->arg[2];

	switch (ev->arg[0]) {
	case 0: st->seen[0] += a; break;
	case 1: st->sum += a * b; break;
	case 2: st->sum ^= a >> (b & 63); break;
	case 3: st->seen[1] = b; break;
	case 4: st->sum -= b; break;
	case 5: st->seen[2] |= a; break;
	case 6: st->sum = a & b; break;
	case 8: st->seen[3]++; break;
	case 9: st->sum = 0; break;
	default: __builtin_unreachable();
	}
}
