/* Arrays on the stack of which one member is read at any index; nothing that matters sets the other members. The optimiser drops those, but the verifier knows only the index's limits. */
#include <ward/probe.h>

struct state {
	uint64_t sum;
};

WARD_ENTRY()
void unread(const struct ward_event *ev, struct state *st)
{
	struct {
		uint64_t p, n;
	} s = {ev->arg[0], ev->arg[1]}, t[4] = {s, s};

	t[ev->arg[2] & 3].n ^= 5;
	st->sum += t[ev->arg[3] & 3].p;
}

WARD_ENTRY()
void narrow(const struct ward_event *ev, struct state *st)
{
	struct {
		uint8_t a, b, c;
	} t[2] = {{(uint8_t)ev->arg[0], 1, 2}, {(uint8_t)ev->arg[1], 3, 4}};

	t[ev->arg[3] & 1].b = (uint8_t)ev->arg[4];
	st->sum += t[ev->arg[2] & 1].a;
}

WARD_ENTRY()
void long_ones(const struct ward_event *ev, struct state *st)
{
	struct {
		uint32_t before, is;
		uint64_t after[5];
	} t[8], u[2] = {{.is = 7}, {.is = 9}};

	for (unsigned i = 0; i < 8; i++)
		t[i].is = (uint32_t)ev->arg[i % 6];
	st->sum += t[ev->arg[2] & 7].is + (uint64_t)u[ev->arg[1] & 1].is * 3;
}
