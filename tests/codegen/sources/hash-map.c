/* A map keyed by the first argument and nothing else: 24-byte slots. */
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(unsigned long, ward_count, 256) by_value;
};

WARD_ENTRY()
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by_value, ev->arg[0], ev->arg[1]);
}
