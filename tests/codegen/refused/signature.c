/* Probe functions of the wrong type. */
/* error 15:6: 'no_state' does not have the type of a probe function */
/* error 21:6: 'returns' does not have the type of a probe function */
/* error 27:6: 'swapped' does not have the type of a probe function */
/* error 34:6: 'untyped' does not have the type of a probe function */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY()
void fine(const struct ward_event *ev, struct state *st)
{	st->n += ev->arg[0]; }

WARD_ENTRY()
void no_state(const struct ward_event *ev)
{
	(void)ev;
}

WARD_ENTRY()
long returns(const struct ward_event *ev, struct state *st)
{
	return (long)(st->n += ev->arg[0]);
}

WARD_ENTRY()
void swapped(struct state *st, const struct ward_event *ev)
{
	st->n += ev->arg[0];
}


WARD_ENTRY()
void untyped(const struct ward_event *ev, void *st)
{
	*(unsigned long *)st += ev->arg[0];
}
