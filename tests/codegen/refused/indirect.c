/* What can't be a value, or be called through a pointer: a probe function, one of another file that isn't there, and a type that no function has. */
/* error 16:29: the initialiser of 'table' holds the address of function 'probe' */
/* hint a value can only be a function of the probe's own files, and no probe function */
/* error 25:10: the address of function 'probe' is taken */
/* hint a value can only be a function of the probe's own files, and no probe function */
/* error 26:10: the address of function 'elsewhere' is taken */
/* error 27:11: call through a pointer, which leads to no function */
/* hint a pointer can lead to functions of the module whose type is the pointer's, and none of those is a value anywhere */
/* error 28:27: the initialiser of 'mixed' holds addresses of functions and of other things in one place */
#include <ward/probe.h>

struct state { ward_count n; unsigned long (*f)(unsigned long); void *kept[2]; };

unsigned long elsewhere(unsigned long);
void probe(const struct ward_event *ev, struct state *st);
static void *const volatile table[] = { probe };
static unsigned long one(void) { return 1; }

static unsigned long (*volatile nullary)(void) = one;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	void *volatile *kept = (void *volatile *)st->kept; st->n += table[0] != 0;
	kept[0] = probe;
	kept[1] = elsewhere;
	st->n += st->f(ev->arg[0]) + nullary();
	static const void *const mixed[] = { "one", one };
	st->n += mixed[ev->arg[1] & 1] == 0;
}
