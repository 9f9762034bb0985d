/* A copy out of the event whose last field is read again behind it: one guard covers no more bytes than there are. */
#include <ward/probe.h>
#include <string.h>
struct ward_state { struct { uint32_t x[3]; } a[9]; uint8_t b[70]; uint64_t h; };
WARD_ENTRY("x!y")
void probe_619(const struct ward_event *ev, struct ward_state *st)
{
	memcpy(&st->a[ev->arg[0] % 9], &ev->arg[1], 12);
	st->b[ev->arg[2] % 10] = 3;
}
