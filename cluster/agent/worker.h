/* SPDX-License-Identifier: Apache-2.0 */
/* The process of one query: it attaches, takes partials, and detaches. worker.c describes how. */
#ifndef WARD_CLUSTER_AGENT_WORKER_H
#define WARD_CLUSTER_AGENT_WORKER_H

#include "epoch.h"
#include "order.h"

/* What the agent tells its worker: the whole of it each time. */
struct agent_wish {
	uint64_t period_ns;
	uint64_t beat;          /* the counter of the last beat */
	uint64_t windows_below; /* all windows below are acknowledged */
	uint32_t stop;
	char reason[128]; /* of the stop */
};

struct agent_worker_options {
	const struct agent_config *config;
	const struct agent_order *order;
	struct agent_epoch epoch;
	const char *no_cgroup; /* why it has none of its own (C-152); "": it has one */
	const char *sessions;  /* the directory of leftovers.h */
	int fd; /* SOCK_SEQPACKET: wishes come, notes and parts go (wire/channel.h); a last part has shard 1 */
};
/* Returns when it is over: the worker's exit status. */
int agent_worker_run(const struct agent_worker_options *options);

/* The name of its file of leftovers. */
void agent_worker_file(const struct agent_order *order, const struct agent_epoch *epoch, char name[96]);

#endif
