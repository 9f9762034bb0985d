/* A map whose size is no power of two, and one whose key is too large. */
/* error 8:2: static assertion failed due to requirement '((100) & ((100) - 1)) == 0': the slots of a WARD_MAP must be a power of two */
/* error 9:2: static assertion failed due to requirement 'sizeof(struct key) <= 64': the key of a WARD_MAP must have at most 64 bytes */
#include <ward/probe.h>

struct key { int a[17]; };
struct state {
	WARD_MAP(int, ward_count, 100) odd;
	WARD_MAP(struct key, ward_count, 16) pairs;
};

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	ward_map_add(&st->odd, (int)ev->arg[0], 1);
}
