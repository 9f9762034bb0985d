/*
 * A local array begins with zeros at each call of its function. What the optimiser knows of them, that `q[0] = 0`
 * changes nothing, must hold in every iteration of the loop around the call; and meanwhile the other function's
 * array has its own value in the same place.
 */
#include <ward/probe.h>

enum { N = 14 };

struct ward_state {
	int next[N], level[N];
	unsigned long seen, sum;
};

static int spread(struct ward_state *st, int from)
{
	int q[N], *h = q, *e = q;

	for (int i = 0; i < N; i++)
		st->level[i] = -1;
	st->level[*e++ = from] = 0;
	WARD_BOUND(20)
	while (h < e) {
		int u = *h++, v = st->next[u];

		if (st->level[v] < 0) {
			st->level[v] = st->level[u] + 1;
			*e++ = v;
		}
	}
	return (int)(e - q);
}

static int walk(struct ward_state *st, int u)
{
	int path[N], n = 0, sum = 0;

	WARD_BOUND(20)
	while (n < N && u != 1) {
		path[n++] = u = st->next[u];
		st->seen++;
	}
	for (int i = 0; i < n; i++)
		sum = sum * 31 + path[i];
	return sum;
}

WARD_ENTRY("x!y")
void on(const struct ward_event *ev, struct ward_state *st)
{
	for (int i = 0; i < N; i++)
		st->next[i] = (int)((ev->arg[i % 6] >> i) % N);
	for (int i = 0; i < 5; i++) {
		st->sum += (unsigned long)spread(st, 0);
		st->sum = st->sum * 3 + (unsigned long)walk(st, i);
		st->next[i] = (st->next[i] + 1) % N;
	}
	for (int i = 0; i < N; i++)
		st->sum = st->sum * 5 + (unsigned long)st->level[i];
}
