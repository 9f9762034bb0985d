/* Constants that hold addresses, read in another way than they were written, or stored. */
/* error 20:11: this may read an address in the constant 'table', or something else */
/* error 21:11: the address of 'table' is stored, a constant that holds addresses itself */
/* error 22:13: this may read an address in the constant 'table', or something else */
#include <ward/probe.h>

struct state {
	const struct entry *kept;
	ward_count n;
	const char *name, *text[2];
};

static const struct entry { const char *name; unsigned long n; } table[] = { { "a", 1 }, { "b", 2 }, { 0, 3 } };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	const struct entry *e = &table[ev->arg[1] % 3];

	st->n += ((const unsigned char *)e)[ev->arg[2] % sizeof(*e)];
	st->kept = e;
	st->name = *(ev->arg[3] & 1 ? &e->name : &st->text[ev->arg[4] & 1]);
}
