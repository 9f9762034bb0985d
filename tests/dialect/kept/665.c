/* Duff's device: a switch into the middle of a loop, whose cases are told apart by numbers next to each other. */
/* compiled as usual */
#include <ward/probe.h>
struct ward_state { uint16_t rev[24]; };
static void duff(uint16_t *to, const uint16_t *from, size_t count)
{
	size_t n = (count + 3) / 4;

	switch (count % 4) {
	case 0: do { *to++ = *from--;
	case 3:      *to++ = *from--;
	case 2:      *to++ = *from--;
	case 1:      *to++ = *from--;
		} while (--n > 0);
	}
}
WARD_ENTRY("x!bf")
void probe_665(const struct ward_event *ev, struct ward_state *st)
{
	uint16_t w[24];
	for (int i = 0; i < 24; i++) w[i] = ev->arg[i % 6] >> i;
	duff(st->rev, w + 23, 1 + ev->arg[4] % 24);
}
