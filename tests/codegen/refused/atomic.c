/* Atomic updates for which there is no instruction, and fences. */
/* error 15:2: an atomic update for which there is no instruction */
/* error 16:2: an atomic update of more than 64 bits */
/* error 17:2: a full memory fence */
/* hint use __ATOMIC_RELEASE or __ATOMIC_ACQUIRE, or __atomic_signal_fence */
#include <ward/probe.h>

struct state { ward_count n; };
static unsigned long shared;
static __int128 wide;

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	__atomic_fetch_nand(&shared, 1, __ATOMIC_RELAXED);
	__sync_bool_compare_and_swap(&wide, 1, 2);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
	__atomic_fetch_or(&shared, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&st->n, ev->arg[0], __ATOMIC_SEQ_CST);
	__sync_bool_compare_and_swap(&shared, 1, 2);
}
