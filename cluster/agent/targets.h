/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes there are, now and later: those that an order means and a policy allows. */
#ifndef WARD_CLUSTER_AGENT_TARGETS_H
#define WARD_CLUSTER_AGENT_TARGETS_H

#include "process.h"

typedef bool agent_target_fn(void *user, const struct agent_process *process);

struct agent_targets;
/* NULL without memory. */
struct agent_targets *agent_targets_open(void);
void agent_targets_close(struct agent_targets *targets);
/*
 * Read /proc, and call fn for each process that is new since the last time, or has executed another program. fn says
 * whether it wants to be asked about this process again the next time. Left out are this process, the kernel's
 * threads, and Ward's own programs.
 */
void agent_targets_look(struct agent_targets *targets, agent_target_fn *fn, void *user);
/* Ask about this process anew. */
void agent_targets_forget(struct agent_targets *targets, pid_t pid);

#endif
