/* Local variables of a probe and the functions that it calls, together more than the stack. */
/* error 17:6: the local variables of 'probe' take 4300 bytes of stack; at most 4096 */
#include <ward/probe.h>

struct state { ward_count n; };

static unsigned look(unsigned long x)
{
	unsigned char seen[700];

	for (int i = 0; i < 700; i++)
		seen[i] = (unsigned char)(x >> (i & 7));
	return seen[x % 700];
}

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	unsigned char a[900], b[900], c[900], d[900];

	for (int i = 0; i < 900; i++)
		a[i] = b[i] = c[i] = d[i] = (unsigned char)(i ^ ev->arg[0]);
	st->n += a[ev->arg[0] % 900] + b[ev->arg[1] % 900] + c[ev->arg[2] % 900] + d[ev->arg[3] % 900] + look(ev->arg[0]);
}
