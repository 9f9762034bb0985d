/* Numbers of two bytes at a place where four could be loaded; the other two bytes are unset, or not the program's. */
#include <ward/probe.h>
struct ward_state {
	uint64_t n;
	int16_t end, kept;
};
static _Alignas(4) uint16_t last[3] = {2, 3, 5};

WARD_ENTRY("x!y")
void probe_371(const struct ward_event *ev, struct ward_state *st)
{
	uint16_t odd[11] = {56, 25};
	uint64_t i = st->n < 10 ? st->n : 10;

	odd[i] -= ev->arg[0];
	st->end = odd[10] * 7328 + ev->arg[1];
	st->kept += last[2] * 7328;
	last[2] += ev->arg[0];
	st->n++;
}
