/* SPDX-License-Identifier: Apache-2.0 */
/* What a process is, and conditions of it, as orders and configurations have them: "exe=/usr/sbin/nginx". */
#ifndef WARD_CLUSTER_AGENT_PROCESS_H
#define WARD_CLUSTER_AGENT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct agent_process {
	pid_t pid;
	uint64_t began;   /* in ticks since the boot: with the pid it is that of no other process */
	uint64_t program; /* differs when it has executed another program, or the same one anew */
	uid_t user;
	char exe[1024];    /* its program's file */
	char cgroup[1024]; /* "/system.slice/nginx.service" */
	char unit[256];    /* "nginx.service": the last part of its cgroup that is a unit, or empty */
};

/* Read it from /proc; false if there is none, or it is a part of the kernel, or a zombie. */
bool agent_process_read(pid_t pid, struct agent_process *process);
/* Does this number still belong to that process? */
bool agent_process_lives(const struct agent_process *process);
/* And does it still run the same program? */
bool agent_process_is_same(const struct agent_process *process);

/*
 * A condition is KEY=GLOB of exe, unit, cgroup and container (a part of the cgroup's path), user=NAME or a number, or
 * pid=NUMBER (C-53). What is none fits no process.
 */
bool agent_condition_is_valid(const char *condition);
bool agent_condition_fits(const char *condition, const struct agent_process *process);
/* Conditions with spaces between them, which must all fit. */
bool agent_conditions_are_valid(const char *conditions);
bool agent_conditions_fit(const char *conditions, const struct agent_process *process);

#endif
