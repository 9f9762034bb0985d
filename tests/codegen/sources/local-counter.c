/* A signed counter in a local struct, beside the array that it indexes: no store into the array changes the counter, so the loop is proven to end. */
#include <ward/probe.h>

struct rec {
	int n, ids[8];
};

struct ward_state {
	struct rec last;
};

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	struct rec r = {0};
	unsigned long t = ev->arg[0];

	while (t && r.n < 8) {
		r.ids[r.n++] = 1;
		t = t * 3 + ev->arg[1];
	}
	st->last = r;
}
