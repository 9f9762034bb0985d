/* A switch on a number that was compared before, and a comparison of a number that was switched on. */
/* compiled as usual */
#include <ward/probe.h>
struct ward_state { uint64_t a, b, c, d, e; };
WARD_ENTRY("x!y")
void probe_666(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t x = ev->arg[0];
	if (x > 3) { st->a += x; if (x < 70) st->e++; }
	else switch (x) { case 3: st->b++; break; case 1: st->c = x * st->b; break; default: st->d ^= st->a; }
	switch (ev->arg[1]) { case 9: st->a++; break; case 4: st->b--; break; default: if (ev->arg[1] > 9) st->c += 3; else st->d = 1; }
}
