/* A number above zero, or else zero: the branch for the second uses the flags of the first, unless it compares anew. */
/* compiled as usual */
#include <ward/probe.h>
struct c { int state; long num; };
struct ward_state { struct c c[8]; };
WARD_ENTRY("x!y")
void probe_660(const struct ward_event *ev, struct ward_state *st)
{
	struct c *c = &st->c[0];
	if (c->num > 0)
		c->state = 3;
	else if (c->num == 0)
		c->state = 4;
}
