/* A signed counter in a local struct, beside the array that it indexes: no store into the array changes it. */
#include <ward/probe.h>
struct rec { int n; int ids[8]; };
struct wide { unsigned char n[3]; short of[5]; signed char k; };
struct ward_state { struct rec last; uint64_t h; };
WARD_ENTRY("x!y")
void probe_621(const struct ward_event *ev, struct ward_state *st)
{
	struct rec r = { 0 };
	struct wide w = { .k = 4 };
	uint64_t t = ev->arg[0];
	while (t && r.n < 8) {
		r.ids[r.n++] = (int)t;
		t = t * 3 + (ev->arg[1] & 1) - 1;
	}
	for (; w.k >= 0 && t; w.k--)
		w.of[w.k] = (short)(t >> w.k);
	for (int i = r.n; --i >= 0;)
		st->h = st->h * 31 + (uint32_t)r.ids[i];
	for (int i = 0; i < 5; i++)
		st->h = st->h * 31 + (uint16_t)w.of[i];
	st->last = r;
}
