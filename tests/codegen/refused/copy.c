/* Copies whose size is not constant, or large. */
/* error 12:2: a copy whose size is not constant */
/* error 13:2: a memset of 4096 bytes: at most 1024 in one go */
/* error 14:2: a copy of 100 bytes: at most 64 in one go */
#include <ward/probe.h>

struct state { ward_count n; unsigned char a[4096], b[4096]; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	__builtin_memcpy(st->a, st->b, ev->arg[0] & 63);
	__builtin_memset(st->a, 0, sizeof(st->a));
	__builtin_memmove(st->a, st->a + 10, 100);
}
