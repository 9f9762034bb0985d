/* Functions and variables that a probe does not have. */
/* error 15:2: unknown external 'puts' */
/* error 16:2: unknown external 'memcpy' */
/* error 17:11: unknown external 'elsewhere' */
#include <ward/probe.h>

struct state { ward_count n; char text[64]; };
int puts(const char *);
void *memcpy(void *, const void *, size_t);
extern unsigned long elsewhere;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	puts("hello");
	memcpy(st->text, st, ev->arg[0]);
	st->n += elsewhere;
}
