/* Copies, fills and compares of more bytes than the object has. */
/* error 14:2: 5000 bytes of an object that has 4120 */
/* error 15:2: 4200 bytes of an object that has 4120 */
/* error 16:12: 20000 bytes of an object that has 4096 */
#include <string.h>
#include <ward/probe.h>

static unsigned char table[4096];
struct state { ward_count n; unsigned char a[4096]; unsigned char b[16]; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	memcpy(st->a, st->b, ev->arg[0] & 1 ? 5000 : 5000);
	memset(st->a, 0, sizeof(*st) + 80);
	st->n += !memcmp(table, st->a, 20000);
}
