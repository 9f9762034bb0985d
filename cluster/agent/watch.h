/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel says which processes execute a program. */
#ifndef WARD_CLUSTER_AGENT_WATCH_H
#define WARD_CLUSTER_AGENT_WATCH_H

#include <sys/types.h>

/* A file that is readable when there is something; -1 where it can't be had, with errno: it needs CAP_NET_ADMIN. */
int agent_watch_open(void);
/* The next process that has executed a program; 0: none now; -1: some were missed. */
pid_t agent_watch_next(int fd);

#endif
