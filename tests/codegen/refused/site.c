/* Sites in a form that no loader understands. */
/* error 10:6: the site 'read' of 'no_module' is not understood */
/* error 12:6: the site 'libc.so.6!read:exit' of 'no_end' is not understood */
/* error 17:2: 'ward_kernel_read' is not for probes in processes */
#include <ward/imports.h>
#include <ward/probe.h>

struct state { ward_count n; };
WARD_ENTRY("read")
void no_module(const struct ward_event *ev, struct state *st) { st->n += ev->tid; }
WARD_ENTRY("libc.so.6!read:exit")
void no_end(const struct ward_event *ev, struct state *st) { st->n += ev->tid; }
/* An import of the other profile's. */
WARD_ENTRY("libc.so.6!write")
void other(const struct ward_event *ev, struct state *st)
{
	ward_kernel_read(&st->n, sizeof st->n, ev->arg[0]);
}
