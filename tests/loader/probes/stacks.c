/* checked(x, ~x) is right in every event. tests/loader reads the state raw. */
#include <ward/probe.h>

struct ward_state {
	uint64_t calls, wrong;
};

WARD_ENTRY("stacks!checked")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->wrong += ev->arg[1] != ~ev->arg[0];
}
