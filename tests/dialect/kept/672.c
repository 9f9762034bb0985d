/* A loop with a counter of its own, which another counter follows: the claim of one bounds the other, in whatever order the claims are found to be too narrow. */
/* compiled as usual */
#include <ward/probe.h>

enum { E = 96 };

struct ward_state {
	unsigned e[E];
	int ne;
	ward_count sorted;
};

WARD_ENTRY("x!edge")
void on_edge(const struct ward_event *ev, struct ward_state *st)
{
	int n = st->ne;
	unsigned e[E];

	__builtin_memcpy(e, st->e, sizeof(e));
	WARD_BOUND(8)
	for (int gap = n / 2; gap > 0; gap /= 2)
		WARD_BOUND(96)
		for (int i = gap; i < n; i++) {
			unsigned t = e[i];
			int j;

			WARD_BOUND(96)
			for (j = i; j >= gap && e[j - gap] > t; j -= gap)
				e[j] = e[j - gap];
			e[j] = t;
		}
	__builtin_memcpy(st->e, e, sizeof(e));
	st->ne = (int)(ev->arg[0] % (E + 1));
	st->e[st->ne % E] = (unsigned)ev->arg[1];
	st->sorted++;
}
