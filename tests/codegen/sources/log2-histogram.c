/* A histogram of the first argument and nothing else. */
#include <ward/probe.h>

struct ward_state {
	ward_log2 values;
};

WARD_ENTRY()
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	ward_log2_add(&st->values, ev->arg[0]);
}
