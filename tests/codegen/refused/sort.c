/* A function that a probe doesn't have is named, and not what is passed to it. */
/* error 16:2: unknown external 'qsort' */
/* hint a probe calls no function through its address: sort with two loops over the array, or let a WARD_TOP keep the largest */
#include <stdlib.h>
#include <ward/probe.h>

struct state { ward_count n; char text[16]; };

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}
WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	qsort(st->text, sizeof st->text, 1, compare);
}
