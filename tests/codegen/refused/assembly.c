/* Assembly inside a function, and outside of any. */
/* error 1:1: assembly outside of functions */
/* error 14:2: inline assembly */
/* error 15:2: inline assembly */
#include <ward/probe.h>

struct state { ward_count n; };

__asm__(".globl stray\nstray: ret");

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	__asm__ volatile("syscall" : : : "memory");
	__asm__ goto("jmp %l0" : : : : out);
	st->n += ev->arg[0];
out:
	return;
}
