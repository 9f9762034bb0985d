/* Builtins that become instructions outside the table. */
/* error 12:2: the compiler's builtin 'llvm.prefetch.p0' is not available */
/* error 13:11: the compiler's builtin 'llvm.readcyclecounter' is not available */
/* error 15:3: the compiler's builtin 'llvm.trap' is not available */
#include <ward/probe.h>

struct state { ward_count n; };

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	__builtin_prefetch(st);
	st->n += __builtin_readcyclecounter();
	if (ev->arg[0])
		__builtin_trap();
}
