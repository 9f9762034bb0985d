/* SPDX-License-Identifier: Apache-2.0 */
/* A unit's modules: those that may be for this machine, each judged; and which of them is for a process. */
#ifndef WARD_CLUSTER_AGENT_MODULES_H
#define WARD_CLUSTER_AGENT_MODULES_H

#include "order.h"
#include "process.h"

/*
 * Take those of the unit's variants that fit this machine's kernel, in their order (C-59), and check each: reviews,
 * verifier, sites, shape, results.
 */
bool agent_modules_take(struct agent_unit *u, const struct agent_limits *limits, const struct agent_config *config,
	const struct agent_coordinator *who, const struct agent_here *here, struct ward_error *err);
/* Are they still allowed, by a configuration that was read anew? */
bool agent_modules_allowed(const struct agent_unit *u, const struct agent_config *config,
	const struct agent_coordinator *who, struct ward_error *err);
/* The one that is for this process (C-150), or for the kernel: NULL. NULL if none is, and *err says so. */
const struct agent_module *agent_modules_find(
	const struct agent_unit *u, const struct agent_process *process, struct ward_error *err);
void agent_modules_free(struct agent_unit *u);

#endif
