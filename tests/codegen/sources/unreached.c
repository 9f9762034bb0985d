/* SPDX-License-Identifier: Apache-2.0 */
/* What a header has for others: no probe function reaches it, and a probe can't have it. */
#include <stdarg.h>
#include <stdlib.h>
#include <ward/probe.h>

struct ward_state {
	ward_count n;
};
struct list {
	int v;
	double weight;
};

extern int elsewhere;
static int counter;
int *where[2] = {&counter, NULL};
__thread int mine;

struct list *list_new(void)
{
	return malloc(sizeof(struct list));
}
long list_each(long (*f)(long), long x)
{
	return f(x) + elsewhere + *where[0] + mine;
}
double list_weight(const struct list *l)
{
	return l->weight * 2;
}
int list_sum(int n, ...)
{
	va_list ap;
	int v;

	va_start(ap, n);
	v = va_arg(ap, int);
	va_end(ap);
	return v;
}
unsigned list_depth(unsigned n)
{
	return n ? list_depth(n - 1) + 1 : 0;
}

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->n++;
}
