/* Writes to a const object through a pointer that is set once. */
/* error 15:7: a write to 'table', which is const */
/* error 16:7: a write to a string of the source, which is const */
/* error 17:15: a write to a string of the source, which is const */
#include <ward/probe.h>

struct state { ward_count n; char at[8]; };
static const char table[4] = "abc";

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	char *w = (char *)table, *s = "hello", *either = "one", own[] = "mine", *o = own;

	w[0] = 1;
	s[1] = 'H';
	*(char *)"x" = 'y';
	if (ev->tid)
		either = st->at;
	either[ev->arg[0] & 3] = 1;
	o[1] = 'w';
	st->n += w[ev->arg[1] & 3] + s[ev->arg[1] & 3] + o[ev->arg[1] & 3];
}
