/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes a worker has attached to: in a file, a line before each attach, so that whoever comes after a
 * worker that was killed can take off what it has left (C-65).
 */
#ifndef WARD_CLUSTER_AGENT_LEFTOVERS_H
#define WARD_CLUSTER_AGENT_LEFTOVERS_H

#include "process.h"

#include "ward/ward.h"

/* A line for a process. */
bool agent_leftovers_add(
	const char *directory, const char *name, const struct agent_process *process, struct ward_error *err);
/*
 * Take off what is left in the processes of that file, as far as they live, and remove it if nothing is left. Without
 * a name: of all files. Returns how many processes still have something.
 */
size_t agent_leftovers_clean(const char *directory, const char *name);

#endif
