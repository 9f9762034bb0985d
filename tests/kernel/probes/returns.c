#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY("kernel!vfs_read:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->ret != 0;
}
