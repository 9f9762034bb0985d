/* A file with many mistakes: all of them in one run. */
/* error 41:29: the initialiser of 'table' holds the address of function 'on_read' */
/* error 42:20: the initialiser of 'names' holds an address */
/* error 43:21: 'mine' is thread-local */
/* error 50:17: recursion: 'factorial' calls itself */
/* error 53:12: 'sum' takes a variable number of arguments */
/* error 65:42: 'start' is a constructor or destructor */
/* (line 71 is none: the array goes behind the state) */
/* error 83:2: an array or alloca whose size is not constant */
/* error 84:15: an array or alloca whose size is not constant */
/* error 85:8: the address of a label is taken */
/* error 89:2: inline assembly */
/* error 90:11: call through a pointer, which leads to no function */
/* error 93:11: unknown external 'unknown' */
/* error 94:8: floating point */
/* error 97:52: a division of more than 64 bits */
/* error 98:2: an atomic update for which there is no instruction */
/* (line 99 is none: the string stays where it is) */
/* error 100:8: the address of a local variable is stored */
/* error 101:24: a write to 'fixed', which is const */
/* error 102:33: a write to the event, which is for reading only */
/* error 104:6: the address of function 'perhaps' is taken */

#include <stdarg.h>
#include <ward/probe.h>

typedef int function(int, int);
struct state {
	ward_count n;
	unsigned long *p;
	function *f;
	const char *s;
	double d;
};

static int one(int x)
{
	return x;
}
void on_read(const struct ward_event *, struct state *);
static void *const volatile table[2] = {on_read};
static const char *names[2] = {"a", "b"};
static __thread int mine;
static const int fixed[2] = {1, 2};
int unknown(int);
__attribute__((weak)) int perhaps(int);

static int factorial(int n)
{
	return n ? n * factorial(n - 1) : 1;
}

static int sum(int n, ...)
{
	va_list ap;
	int r = 0;

	va_start(ap, n);
	while (n--)
		r += va_arg(ap, int);
	va_end(ap);
	return r;
}

__attribute__((constructor)) static void start(void)
{
	mine = 1;
}

static unsigned long buffers(unsigned long n)
{
	unsigned char large[5000];

	for (int i = 0; i < 5000; i++)
		large[i] = (unsigned char)(i ^ n);
	return large[n % 5000];
}

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct state *st)
{
	unsigned long n = ev->arg[0];
	char sized[n];
	char *more = __builtin_alloca(n);
	void *label = &&out;

	sized[0] = more[0] = 1;
	st->n += sized[n - 1];
	__asm__ volatile("nop");
	st->n += st->f(3, one(4));
	st->n += table[n & 1] != 0;
	st->n += names[n & 1][0] + (names[0] = "c")[0];
	st->n += unknown(1) + factorial((int)n) + sum(1, 2);
	st->d += 0.5;
	goto *label;
out:
	st->n += (unsigned long)((unsigned __int128)n * n / (n | 1));
	__atomic_fetch_nand(&st->n, 1, __ATOMIC_SEQ_CST);
	st->s = "hello";
	st->p = &n;
	((int *)fixed)[n & 1] = 3;
	((struct ward_event *)ev)->ret = 1;
	st->n += mine + buffers(n);
	if (perhaps)
		st->n++;
}
