/* setjmp, longjmp and the compiler's own forms of them. */
/* error 15:6: unknown external 'setjmp' */
/* error 17:2: unknown external 'longjmp' */
/* error 18:6: the compiler's builtin 'llvm.eh.sjlj.setjmp' is not available */
#include <ward/probe.h>

struct state { ward_count n; void *buf[5]; };
typedef long jmp_buf[25];
int setjmp(jmp_buf);
void longjmp(jmp_buf, int);

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{	jmp_buf here;
	if (setjmp(here))
		st->n++;
	longjmp(here, (int)ev->arg[0]);
	if (__builtin_setjmp(st->buf))
		st->n++;
}
