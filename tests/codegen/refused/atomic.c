/* Operations that would need the lock prefix or a fence. */
/* error 14:2: an atomic read-modify-write */
/* error 15:2: a sequentially consistent atomic store */
/* error 16:2: a full memory fence */
/* error 17:2: an atomic read-modify-write */
#include <ward/probe.h>

struct state { ward_count n; };
static unsigned long shared;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	__atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&st->n, ev->arg[0], __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__sync_bool_compare_and_swap(&shared, 1, 2);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}
