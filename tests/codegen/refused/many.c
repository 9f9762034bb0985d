/* A loaded pointer is tested against each variable whose address is stored, so their number is limited. All strings count as one. */
/* error 16:6: addresses of more than 6 variables are stored: a pointer that is loaded again may lead to any of them */
#include <ward/probe.h>

struct state {
	unsigned long *at;
	const char *name;
};

static unsigned long a, b, c, d, e, f;

#define AT(n, variable) if (ev->arg[0] == n) st->at = &variable
#define NAME(n) if (ev->arg[1] == n) st->name = #n " of many"

WARD_ENTRY("x!y")
void probe(const struct ward_event *ev, struct state *st)
{
	AT(1, a);
	AT(2, b);
	AT(3, c);
	AT(4, d);
	AT(5, e);
	AT(6, f);
	NAME(1);
	NAME(2);
	NAME(3);
	if (st->at)
		*st->at += st->name ? *st->name : 1;
}
