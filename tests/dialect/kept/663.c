/* A number above zero, or else zero, each behind the same test of a type. */
/* compiled as usual */
#include <ward/probe.h>
struct conn { int state; char type; long num; unsigned arglen; };
struct ward_state { struct conn conns[8]; };
WARD_ENTRY("redis-server!read:return")
void probe_663(const struct ward_event *ev, struct ward_state *st)
{
	struct conn *c = &st->conns[ev->arg[0] % 8];
	if (c->type == '$' && c->num > 0)
		c->state = 3;
	else if (c->type == '$' && c->num == 0)
		c->state = 4;
	if (c->arglen == 7)
		c->state = 4;
}
