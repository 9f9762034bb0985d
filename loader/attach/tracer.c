/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a function in a thread of its own, because what it traces belongs to that thread and is released when it ends.
 */
#include "attach.h"

#include "loader/base/error.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

struct tracer {
	int (*fn)(void *arg);
	void *arg;
	int result;
};

static void *tracer_main(void *arg)
{
	struct tracer *t = arg;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* it sleeps for microseconds while threads stop */
	t->result = t->fn(t->arg);
	return NULL;
}

int wl_as_tracer(int (*fn)(void *arg), void *arg, struct ward_error *err)
{
	struct tracer t = {.fn = fn, .arg = arg};
	sigset_t all, old;
	pthread_t thread;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, NULL, tracer_main, &t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return wl_fail(err, WARD_E_SYSTEM, "tracer", "can't start a thread: %s", strerror(rc));
	pthread_join(thread, NULL);
	return t.result;
}
