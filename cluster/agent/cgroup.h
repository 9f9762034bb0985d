/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cgroup for each worker (C-152): what it takes of processors and memory has a limit, whatever the processes hold
 * that it reads. It needs a cgroup of version 2 that was handed over to the agent, as systemd does for its unit
 * (Delegate=cpu memory). Internal to cluster/agent.
 */
#ifndef WARD_CLUSTER_AGENT_CGROUP_H
#define WARD_CLUSTER_AGENT_CGROUP_H

#include "agent.h"

/* Begin: the agent goes into a part of its own. Where there can be none, a->no_cgroup says why. */
void agent_cgroup_open(struct agent *a);
/* Before a worker is forked, and in it. false: it has none, and *err says why. */
bool agent_cgroup_make(struct agent *a, const char *id, struct ward_error *err);
void agent_cgroup_enter(const struct agent *a, const char *id);
/* When the worker has ended: whoever is left there ends. true: it was killed since its memory was too much. */
bool agent_cgroup_end(const struct agent *a, const char *id);
void agent_cgroup_close(const struct agent *a);

#endif
