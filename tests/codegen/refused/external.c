/* External functions and variables, which a probe does not have. */
/* error 16:2: unknown external 'puts' */
/* error 17:2: unknown external 'memcpy' */
/* error 18:2: unknown external 'strcpy' */
/* error 19:11: unknown external 'elsewhere' */
#include <ward/probe.h>

struct state { ward_count n; char text[64]; };
int puts(const char *);
void *memcpy(void *, const void *, int); char *strcpy(char *, const char *);
extern unsigned long elsewhere;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	puts("hello");
	memcpy(st->text, st, (int)ev->arg[0]);
	strcpy(st->text, "text");
	st->n += elsewhere;
}
