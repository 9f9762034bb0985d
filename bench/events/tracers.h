/* SPDX-License-Identifier: Apache-2.0 */
/* The tracers: Ward through its API, and the peers that are installed here through their commands. */
#ifndef WARD_BENCH_EVENTS_TRACERS_H
#define WARD_BENCH_EVENTS_TRACERS_H

#include "codegen/codegen.h"
#include "run.h"

/* Of Ward. */
struct ward_probe {
	const struct ward_buf *module;
	unsigned events_per_call; /* 2 with entry and return */
	uint64_t made;            /* calls that there must be events of, if the target can't tell; 0: not known */
	struct ward_session *session;
	uint64_t dropped; /* out: of the last run */
};
bool ward_begin(void *probe, pid_t pid, const struct run *run);
bool ward_end(void *probe, const struct run *run);

/* Of bpftrace; in the program %s stands for the place, PATH:FUNCTION. */
struct bpftrace {
	const char *program, *output;
	pid_t pid;
};
bool bpftrace_begin(void *bpftrace, pid_t pid, const struct run *run);
bool bpftrace_end(void *bpftrace, const struct run *run);

/* Of LTTng-UST: a daemon of one's own. The session is told before the target starts. */
struct lttng {
	const char *work;
	pid_t daemon;
};
bool lttng_open(struct lttng *l);
void lttng_close(struct lttng *l);

/* The name of the function that is traced, and of its file. */
const char *traced_function(const struct run *run);
const char *traced_file(const struct run *run, pid_t pid, char *text, size_t size);

#endif
