/* The same, guarded on both sides. */
#include <ward/probe.h>
struct ward_state { uint8_t buf[128]; };
WARD_ENTRY("x!y")
void on(const struct ward_event *ev, struct ward_state *st)
{
	__builtin_memcpy(st->buf + ev->arg[0] % 20, &ev->arg[1], 20);
}
