/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions of one unit of an order, one for each process (or one of the kernel), and their sum. What a process
 * has counted stays in the sum when the process is gone.
 */
#ifndef WARD_CLUSTER_AGENT_SESSIONS_H
#define WARD_CLUSTER_AGENT_SESSIONS_H

#include "order.h"
#include "process.h"

#include "cluster/guard/guard.h"
#include "cluster/wire/by.h"
#include "ward/partial.h"

/* What became of a site, over all processes. */
struct agent_site {
	char site[256], method[48], reason[256];
	uint64_t processes, exits;
};
enum { AGENT_SITES_SHOWN = 256 };

struct agent_session {
	struct agent_process process; /* of the kernel: zeros */
	ward_session *session;
	ward_schema *schema; /* its own: numbers of sites are each process's */
	ward_schema *by;     /* with the process before all keys, if the order wants that; or NULL */
	ward_names *names;
	ward_drain *drain;   /* of maps that hand entries on; or NULL */
	ward_stream *stream; /* of rings and queues; or NULL */
	uint64_t number;     /* of the unit's sessions, from 1 */
	uint64_t unread;     /* records that `stream` has lost */
	struct cluster_guard guard;
	bool is_refused; /* a name that the policy doesn't allow showed */
};

struct agent_sessions {
	const struct agent_unit *unit;
	const struct agent_coordinator *who;
	const struct agent_limits *limits;
	uint32_t number;             /* of the unit, in the order */
	struct agent_reader *reader; /* of the records; or NULL */
	struct agent_session *at;
	size_t n, room;
	uint64_t n_ever;
	enum cluster_by by;
	ward_schema *schema; /* of sums: the unit's, or one by process, `divided` */
	ward_schema *divided;
	ward_names *own;     /* a sum with names needs some; nothing is looked up in these */
	ward_partial *ended; /* the sum of the processes that are gone */
	struct agent_site sites[AGENT_SITES_SHOWN];
	size_t n_sites;
	uint64_t more_sites, n_ended, pause_ns;
	char warning[320]; /* the last one */
};

bool agent_sessions_open(struct agent_sessions *s, const struct agent_unit *unit, const struct agent_coordinator *who,
	const struct agent_limits *limits, enum cluster_by by, struct ward_error *err);
void agent_sessions_close(struct agent_sessions *s);

/* Attach to a process; NULL: to the kernel. false: not, and *err says why; nothing is left in it. */
bool agent_sessions_add(struct agent_sessions *s, const struct agent_process *process, struct ward_error *err);
/* Is there one of this process? */
bool agent_sessions_has(const struct agent_sessions *s, pid_t pid);
/* … as it is now, running the same program? */
bool agent_sessions_is_of(const struct agent_sessions *s, const struct agent_process *process);
/* Add up and forget those whose processes are gone, or have executed a program; calls fn with each one's number. */
void agent_sessions_poll(struct agent_sessions *s, void (*fn)(void *user, pid_t pid), void *user);
/* Take all probes off. What they have counted stays. */
bool agent_sessions_detach(struct agent_sessions *s, struct ward_error *err);
/*
 * Take what maps have handed on, so that there is room for more. Returns how often that is to be done: after so many
 * milliseconds again; -1: there are no such maps.
 */
int agent_sessions_drain(struct agent_sessions *s);
/* The sum of all: free with ward_partial_free; NULL without memory or above the limit, as *err says. */
ward_partial *agent_sessions_take(struct agent_sessions *s, struct ward_error *err);

#endif
