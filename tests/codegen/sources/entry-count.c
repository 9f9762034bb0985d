/* Counts entries and does nothing else. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY()
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls++;
}
