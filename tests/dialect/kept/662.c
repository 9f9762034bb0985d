/* The same in a heap, between guards. */
/* compiled as usual */
#include <ward/probe.h>
struct slow { uint64_t ns; uint32_t tid; uint32_t seq; };
struct ward_state { struct slow heap[15]; int n; uint32_t seq; };
static inline bool less(const struct slow *a, const struct slow *b) { return a->ns < b->ns || (a->ns == b->ns && a->seq > b->seq); }
static void up(struct ward_state *st, int i)
{
	while (i > 0) {
		int p = (i - 1) / 2;
		if (!less(&st->heap[i], &st->heap[p])) break;
		struct slow t = st->heap[i]; st->heap[i] = st->heap[p]; st->heap[p] = t;
		i = p;
	}
}
static void down(struct slow *h, int n, int i)
{
	for (;;) {
		int l = 2 * i + 1, r = l + 1, m = i;
		if (l < n && less(&h[l], &h[m])) m = l;
		if (r < n && less(&h[r], &h[m])) m = r;
		if (m == i) return;
		struct slow t = h[i]; h[i] = h[m]; h[m] = t;
		i = m;
	}
}
WARD_ENTRY("x!slow:return")
void probe_662(const struct ward_event *ev, struct ward_state *st)
{
	struct slow s = {ev->arg[0] % 100000, (uint32_t)ev->arg[1], st->seq++};
	if (st->n < 15) { st->heap[st->n] = s; up(st, st->n++); }
	else if (less(&st->heap[0], &s)) { st->heap[0] = s; down(st->heap, st->n, 0); }
}
