/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May the threads of a target read the time?
 *
 * A thread for which the time stamp counter is turned off gets SIGSEGV from rdtsc. Strict seccomp turns it off, and
 * so does PR_SET_TSC. Threads and processes inherit that setting from the thread that makes them. Only PR_GET_TSC
 * shows it, a system call of the thread itself. So Ward makes each thread call it before the first jump is written.
 * forbidden_calls.c sees later changes.
 */
#include "permitted.h"

#include "loader/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { SECCOMP_STRICT = 1, ANSWER_AT = 64 /* in the gate's page */ };

bool wl_reads_time(const struct ward_module_facts *facts)
{
	for (size_t i = 0; i < facts->n_entries; i++)
		if (facts->entries[i].event_fields & (1u << WL_TIME | 1u << WL_ELAPSED))
			return true;
	return facts->features & WARD_FEATURE_TSC;
}

bool wl_time_is_off(struct wl_attachment *a, struct wl_remote *r)
{
	uint64_t answer_at = a->slots.gate + ANSWER_AT;
	int32_t answer = PR_TSC_ENABLE;
	int64_t result = -1;

	wl_remote_call(r, &result, SYS_prctl, PR_GET_TSC, answer_at, 0, 0, 0, 0);
	return result == 0 && wl_process_read(&a->p, answer_at, &answer, sizeof(answer)) && answer == PR_TSC_SIGSEGV;
}

struct asking {
	struct wl_attachment *a;
	const struct wl_maps *maps;
	pid_t off; /* the thread that may not */
};

/*
 * A thread that is stopped, and not about to take a signal. A thread that can't be asked is gone, asleep in the
 * kernel (asleep.h), or can't be traced; patching will report that.
 */
static void thread_ask(struct asking *q, const struct wl_thread *t, unsigned options)
{
	struct wl_thread one = *t;
	struct wl_threads held = {.v = &one, .n = 1, .cap = 1, .options = options, .gadgets = q->a->gadgets};
	struct wl_remote r;

	if (wl_remote_begin(&r, &q->a->p, q->maps, &held, NULL))
		return;
	if (wl_time_is_off(q->a, &r))
		q->off = t->tid;
	wl_remote_end(&r);
}

static bool is_strict(const struct wl_attachment *a, pid_t tid)
{
	uint64_t mode = 0;

	return wl_status_value(a->p.pid, tid, "Seccomp", 10, &mode) && mode == SECCOMP_STRICT;
}

static int stop_and_ask(void *user, pid_t tid)
{
	struct asking *q = user;
	struct wl_thread t;

	if (is_strict(q->a, tid)) {
		q->off = tid;
		return 1;
	}
	if (wl_thread_stop_clear(&t, &q->a->p, tid) == 0) {
		t.pauses = q->a->p.pauses;
		thread_ask(q, &t, WL_THREAD_OPTIONS);
		wl_thread_release(&t);
	}
	return q->off != 0;
}

static void ask_held(struct asking *q, const struct wl_threads *held)
{
	for (size_t i = 0; i < held->n && !q->off; i++) {
		if (is_strict(q->a, held->v[i].tid))
			q->off = held->v[i].tid;
		else if (held->v[i].stopped && !held->v[i].signal)
			thread_ask(q, &held->v[i], held->options);
	}
}

int wl_check_time(
	struct wl_attachment *a, const struct ward_module_facts *facts, struct wl_threads *held, struct ward_error *err)
{
	struct asking q = {.a = a};
	struct wl_maps maps;
	char what[64];

	if (!wl_reads_time(facts))
		return 0;
	if (wl_maps_read(a->p.pid, &maps))
		return wl_process_lost(&a->p, err);
	q.maps = &maps;
	if (held)
		ask_held(&q, held);
	else
		wl_each_thread(a->p.pid, stop_and_ask, &q);
	wl_maps_free(&maps);
	if (!q.off)
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	wl_fail(err, WARD_E_TARGET, what,
		"the probe reads the time stamp counter, which is turned off for thread %d (PR_SET_TSC, or strict "
		"seccomp)",
		(int)q.off);
	wl_hint(err, "leave ev->time and ev->elapsed out of the probe");
	return WARD_E_TARGET;
}
