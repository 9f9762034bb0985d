/* A string of a table, walked and kept: in a loop, a distance stays one subtraction. */
#include <ward/probe.h>
const unsigned pointers_610 = 2;
static const char *const words[] = {"delta", "alpha", "echo", "bravo"};
struct ward_state { const char *v; const char *w; uint64_t h, last; };
WARD_ENTRY("x!y")
void probe_610(const struct ward_event *ev, struct ward_state *st)
{
	st->v = words[ev->arg[0] & 3];
	for (const char *s = st->v; *s; s++) st->h = st->h * 31 + (unsigned char)*s;
	st->last++;
}
