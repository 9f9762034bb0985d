/* A comparison with several of the event's fields. */
#include <ward/probe.h>
#include <string.h>
struct ward_state { uint8_t raw[16]; uint32_t same; };
WARD_ENTRY("x!y")
void on(const struct ward_event *ev, struct ward_state *st)
{
	st->same += memcmp(st->raw, ev->arg, 16) == 0;
}
