#include <ward/imports.h>
#include <ward/probe.h>

/* Every import, with buffers in the state and on the stack, and constants beside the slots. */
struct ward_state {
	uint64_t n, sum, times[4];
	unsigned char bytes[64];
	char text[24];
};

static const unsigned char weight[8] = {3, 1, 4, 1, 5, 9, 2, 6};

WARD_ENTRY()
void reads(const struct ward_event *ev, struct ward_state *st)
{
	unsigned char local[24];
	uint64_t n = ev->arg[1] & 31;

	st->n += ward_read(st->bytes + n, 32, ev->arg[0]);
	n = ward_read(local, sizeof(local), ev->arg[2]);
	for (uint64_t i = 0; i < sizeof(local); i++)
		st->sum += (uint64_t)local[i] * weight[i & 7];
	st->sum += n * weight[ev->arg[3] & 7];
}

WARD_ENTRY()
void strings(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t n = ward_read_str(st->text, sizeof(st->text), ev->arg[0]);

	if (n < sizeof(st->text) && ward_match(st->text, n, ev->arg[1]))
		st->text[n] = (char)weight[n & 7];
	st->times[n & 3] = ward_clock(n & 7) - st->times[ev->arg[2] & 3];
	st->n += ward_match("/proc/self", 10, ev->arg[3]) + ward_match(ev, 8, ev->arg[4]);
}
