/* SPDX-License-Identifier: Apache-2.0 */
/* ward-agent-link as a program: to be run beside the agent where nobody else does it, and to look at the bus. */
#ifndef WARD_CLUSTER_AGENT_LINK_PROGRAM_H
#define WARD_CLUSTER_AGENT_LINK_PROGRAM_H

#include "agent.h"

#define AGENT_LINK_USER "ward-link"

/*
 * Let ward-agent-link look at its credentials and at the bus, by this configuration. Its exit status: it has said what
 * is wrong; -1: it can't be run.
 */
int agent_link_check(struct agent *a, const char *creds, struct ward_error *err);

/* A link of the agent's own (ward-agent --link): begin it, begin it anew when it has ended, end it. */
bool agent_link_start(struct agent *a, struct ward_error *err);
void agent_link_tick(struct agent *a);
bool agent_link_died(struct agent *a, pid_t pid, int status);
void agent_link_stop(struct agent *a);

#endif
