/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a worker share: worker.c its life, worker_say.c what it sends. */
#ifndef WARD_CLUSTER_AGENT_WORKER_PARTS_H
#define WARD_CLUSTER_AGENT_WORKER_PARTS_H

#include <time.h>

#include "cluster/guard/sampler.h"
#include "cluster/wire/channel.h"
#include "reader.h"
#include "sessions.h"
#include "targets.h"
#include "windows.h"
#include "worker.h"

#define SECOND_NS 1000000000ull
enum { WORKER_TEXT = 512, WORKER_STOPPED = 256 };

/* How often a process was stopped to attach since the minute began. */
struct worker_stopped {
	pid_t pid;
	uint64_t began, since_ns, times;
};

struct worker_clocks {
	uint64_t counts, ns, within;
};

struct worker {
	const struct agent_worker_options *o;
	const struct agent_coordinator *who;
	struct channel channel;
	struct agent_wish wish;
	struct agent_sessions units[AGENT_UNITS];
	struct agent_windows windows;
	struct agent_reader *reader;
	struct agent_targets *targets;
	struct cluster_sampler *sampler;
	int watch; /* of watch.h, or -1 */
	uint64_t looked_ns;
	char file[96];
	uint64_t sequence, beat_ns, look_ns, send_ns, guard_ns, cut_ns, left_out, missed;
	size_t attached_at_look;
	struct worker_clocks began;
	Ward__Cluster__Note__State state;
	char reason[WORKER_TEXT], warning[WORKER_TEXT];
	struct worker_stopped stopped[WORKER_STOPPED]; /* those of the last minute, or of before */
	uint64_t overhead_ppm;                         /* of the process that pays most */
	char overhead_of[64];
};

static inline uint64_t worker_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static inline struct agent_clocks worker_clocks_now(void)
{
	return (struct agent_clocks){.steady_ns = worker_clock(CLOCK_MONOTONIC), .at_ns = worker_clock(CLOCK_REALTIME)};
}

/* worker_say.c. Both clocks at one moment. */
struct worker_clocks worker_clocks_both(void);
/* How many processes are probed. */
size_t worker_processes(const struct worker *w);
void worker_say_note(struct worker *w);
/* All that was counted so far, and the windows that aren't acknowledged. */
void worker_say_parts(struct worker *w, bool is_last);
/* The present window is over: it is sent with the next parts. false: there is no memory, and it goes on. */
bool worker_window_cut(struct worker *w, struct agent_clocks now);

#endif
