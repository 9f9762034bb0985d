/* Arrays of pointers inside of the elements of a table. */
#include <ward/probe.h>
#include <string.h>
struct cat { const char *n[3]; unsigned v; };
static const struct cat cats[3] = { {{"tiny", "t", "T"}, 5}, {{"small", "s", "S"}, 6}, {{"huge", "h", "H"}, 7} };
struct ward_state { uint64_t h; };
WARD_ENTRY("x!y")
void probe_618(const struct ward_event *ev, struct ward_state *st)
{
	const char *n = cats[ev->arg[0] % 3].n[ev->arg[1] % 3];
	st->h = st->h * 3 + (uint8_t)*n;
}
