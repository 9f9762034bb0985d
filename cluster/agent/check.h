/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-agent --check: what is wrong on this machine, all of it, each with what to do. It changes nothing. Internal to
 * cluster/agent.
 */
#ifndef WARD_CLUSTER_AGENT_CHECK_H
#define WARD_CLUSTER_AGENT_CHECK_H

#include "agent.h"

struct agent_check {
	struct agent *a;
	size_t faults;
	int status; /* the first fault's */
};

/* Say a fault, or something that is worth knowing and none. `hint` may be NULL. */
void agent_check_fault(struct agent_check *c, int status, const char *what, const char *hint, const char *why, ...)
	__attribute__((format(printf, 5, 6)));
void agent_check_warn(struct agent_check *c, const char *what, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
void agent_check_error(struct agent_check *c, const struct ward_error *err);

/* check_config.c: a configuration that can be read, and by which nothing can be done. */
void agent_check_config(struct agent_check *c);
/* check_rights.c: what the kernel lets this process do. */
void agent_check_rights(struct agent_check *c);

/* check.c: the exit status. `link` is the user of the link, or NULL; `creds` the link's credentials. */
int agent_check(struct agent *a, const char *link, const char *creds);

#endif
