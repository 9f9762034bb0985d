/* Elements whose size makes the target compute a difference of products. */
#include <ward/probe.h>
struct odd { uint8_t b[14]; };
struct ward_state { struct odd o[33]; uint64_t h; };
WARD_ENTRY("x!y")
void probe_616(const struct ward_event *ev, struct ward_state *st)
{
	st->h += st->o[ev->arg[0] & 31].b[2];
}
