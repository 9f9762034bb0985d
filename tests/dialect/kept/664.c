/* Two edges that make a number of a comparison and meet behind it; one of them compares what was compared before. */
/* compiled as usual */
#include <ward/probe.h>
struct ward_state { int sa[64], rank[64], tmp[64]; };
static bool less(const struct ward_state *st, int a, int b, int k, int n)
{
	if (st->rank[a] != st->rank[b]) return st->rank[a] < st->rank[b];
	int ra = a + k < n ? st->rank[a + k] : -1, rb = b + k < n ? st->rank[b + k] : -1;
	return ra < rb;
}
WARD_ENTRY("x!y")
void probe_664(const struct ward_event *ev, struct ward_state *st)
{
	int n = 1 + ev->arg[5] % 64;
	for (int i = 0; i < n; i++) st->sa[i] = n - 1 - i;
	for (int k = 1; k <= n; k <<= 1)
		for (int i = 1; i < n; i++)
			st->tmp[st->sa[i]] = st->tmp[st->sa[i - 1]] + less(st, st->sa[i - 1], st->sa[i], k, n);
}
