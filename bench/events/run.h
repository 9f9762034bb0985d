/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the target: start it, trace it, let it go, wait for it. */
#ifndef WARD_BENCH_EVENTS_RUN_H
#define WARD_BENCH_EVENTS_RUN_H

#include <sys/types.h>

#include "target.h"

/* Whoever traces. */
struct tracer {
	/*
	 * Called when the target is ready, and when it has made its calls but still stands. NULL: nobody. False, with a
	 * message on stderr, if it failed.
	 */
	bool (*attach)(void *user, pid_t pid, const struct run *run);
	bool (*detach)(void *user, const struct run *run);
	/* Words that the target's command line begins with, or NULL; then `go` is said at once. */
	const char *const *prefix;
	const char *program; /* of the target; NULL: the usual one */
	void *user;
};

/* Where the programs are, and a private folder. */
struct place {
	char programs[200], work[64];
};

/* Run the target as run says, which is filled in. */
bool run_target(const struct place *place, struct run *run, const struct tracer *tracer);

/* Start a command, its output to `output`, or to nowhere. */
pid_t start(const char *const *argv, const char *output);
/* Wait for a process and say whether it ended with status 0. */
bool ended_well(pid_t pid);

#endif
