/* The tail of a local array: the bytes between it and the next word belong to no variable and must not be read. */
/* compiled as usual */
#include <ward/probe.h>
#include <string.h>
struct ward_state { uint8_t buf[64]; };
WARD_ENTRY("x!send")
void probe_667(const struct ward_event *ev, struct ward_state *st)
{
	uint8_t r[38];
	memset(r, ev->arg[2], sizeof r);
	unsigned len = ev->arg[0] % 38, l = ev->arg[1] % 38;
	if (l <= len)
		memcpy(st->buf, r + l, len - l);
}
