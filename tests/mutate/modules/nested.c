#include <ward/probe.h>

/* Loops in loops, one of which depends on the other. */
struct ward_state {
	unsigned char m[12][12];
	int count;
};

WARD_ENTRY()
void triangle(const struct ward_event *ev, struct ward_state *st)
{
	for (unsigned i = 0; i < 12; i++)
		for (unsigned j = 0; j < i; j++)
			st->m[i][j] += (unsigned char)(st->m[j][i] + ev->arg[3]);
}

WARD_ENTRY()
void rows(const struct ward_event *ev, struct ward_state *st)
{
	unsigned row = (unsigned)ev->arg[0] % 8;

	for (int i = 11; i >= 0; i--)
		if (st->m[row][i] & 1)
			st->count += i;
}
