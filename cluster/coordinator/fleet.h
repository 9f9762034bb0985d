/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machines of a query: in which state each is, since when, and why. fleet.c describes the states. No machine is
 * left out silently: each that was chosen is in one of them at any time. Times are nanoseconds of the coordinator's
 * own clock that never goes back, handed in; names are those that the bus vouches for.
 */
#ifndef WARD_CLUSTER_COORDINATOR_FLEET_H
#define WARD_CLUSTER_COORDINATOR_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cluster_state {
	CLUSTER_STATE_UNREACHABLE, /* chosen, and it doesn't answer */
	CLUSTER_STATE_REFUSED,
	CLUSTER_STATE_NO_TARGET, /* nothing matches there; it waits for later ones */
	CLUSTER_STATE_ATTACHING,
	CLUSTER_STATE_REPORTING,
	CLUSTER_STATE_STALE,   /* nothing for three periods */
	CLUSTER_STATE_LOST,    /* nothing for ten seconds, or five periods */
	CLUSTER_STATE_GUARDED, /* its overhead guard has taken the probes off */
	CLUSTER_STATE_ENDED,   /* its last value is here for good */
	CLUSTER_STATE_INCONSISTENT,
	CLUSTER_STATES,
};

/* "unreachable", "refused", "no target" … */
const char *cluster_state_name(enum cluster_state state);

/* How it is known that the machine is meant. */
enum cluster_known {
	CLUSTER_ANSWERED,   /* it has said so itself */
	CLUSTER_REMEMBERED, /* it answered to an earlier roll */
	CLUSTER_EXPECTED,   /* the caller has a list of names with it */
};

struct cluster_fleet_machine {
	const char *name;
	enum cluster_state state;
	enum cluster_known known;
	const char *reason;    /* why it is so; or "" */
	const char *warning;   /* what else its agent says; or "" */
	uint64_t missed;       /* processes there that are meant, and not in the result */
	uint64_t since_ns;     /* in this state */
	uint64_t heard_ns;     /* anything; 0: never */
	uint64_t joined_ns;    /* its first partial; 0: none yet */
	uint64_t late_ns;      /* how long after the query's beginning that was */
	uint64_t part_ns;      /* its latest partial; 0: none yet */
	uint64_t epoch, nonce; /* the newest */
	uint64_t missing_ns;   /* how much of the time until the end isn't in the result, as of now */
	uint64_t gap_ns;       /* of that, between its epochs */
	uint64_t vanished;     /* the epoch that was in the result, and isn't now; 0: none */
	uint32_t gaps;         /* how often it has begun anew */
	bool is_early;         /* the query has ended there before its end */
	uint32_t processors;   /* that it says it has; 0: not known */
	bool is_doubled;       /* two machines have this name: both are counted */
	bool is_settled;       /* the last value of its newest epoch is here for good */
	uint64_t epochs;       /* that it says it has had; 0: it says nothing */
	uint64_t epochs_here;
	uint64_t pause_ns; /* the longest stop of a process there */
	uint64_t overhead_ppm;
};

struct cluster_fleet_times {
	uint64_t period_ns; /* of partials, as in the last beat */
	uint64_t hello_ns;  /* how often agents say hello unasked */
};

/* What an agent says has become of the query. */
enum cluster_noted {
	CLUSTER_NOTED_REFUSED,
	CLUSTER_NOTED_NO_TARGET,
	CLUSTER_NOTED_ATTACHING,
	CLUSTER_NOTED_REPORTING,
	CLUSTER_NOTED_GUARDED,
	CLUSTER_NOTED_ENDED,
	CLUSTER_NOTED_UNKNOWN, /* it doesn't have the order */
};

struct cluster_fleet_note {
	uint64_t agent; /* the nonce of its hello */
	uint64_t sequence;
	enum cluster_noted state;
	const char *reason;  /* or NULL */
	const char *warning; /* or NULL */
	uint64_t missed;
	uint64_t epoch;    /* that it is in or was; 0: none */
	bool is_early;     /* the query has ended there before its end; … */
	uint64_t early_ns; /* … so long ago */
	uint64_t epochs;   /* that have sent anything; 0: it says nothing */
	uint64_t pause_ns, overhead_ppm;
};

typedef struct cluster_fleet cluster_fleet;

/* NULL without memory. Free with cluster_fleet_free; NULL is allowed there. */
cluster_fleet *cluster_fleet_new(const struct cluster_fleet_times *times, uint64_t now_ns);
void cluster_fleet_free(cluster_fleet *fleet);
/*
 * The journal isn't here: what earlier coordinators had for good must come from machines again, and machines that are
 * gone can't be named, unless a list of all was given.
 */
void cluster_fleet_adopt(cluster_fleet *fleet);
bool cluster_fleet_is_adopted(const cluster_fleet *fleet);
/* C-137: last values are another coordinator's; what an agent says has ended is ended. */
void cluster_fleet_look(cluster_fleet *fleet);
/* The period has changed. */
void cluster_fleet_retime(cluster_fleet *fleet, const struct cluster_fleet_times *times);

/*
 * What happens. Each is false without memory, or if the name is none. A machine that none of these has named isn't in
 * the fleet. cluster_fleet_choose: the machine is meant. cluster_fleet_hear: it is alive; of one that isn't meant this
 * does nothing.
 */
bool cluster_fleet_choose(cluster_fleet *fleet, const char *name, enum cluster_known known, uint64_t now_ns);
bool cluster_fleet_hear(cluster_fleet *fleet, const char *name, uint64_t agent, uint32_t processors, uint64_t now_ns);
bool cluster_fleet_note(cluster_fleet *fleet, const char *name, const struct cluster_fleet_note *note, uint64_t now_ns);
/* A partial was taken. */
bool cluster_fleet_part(
	cluster_fleet *fleet, const char *name, uint64_t epoch, uint64_t nonce, bool is_last, uint64_t now_ns);
/* So many epochs of it are here. */
bool cluster_fleet_epochs(cluster_fleet *fleet, const char *name, size_t here, uint64_t now_ns);
/* The last value of an epoch is in the journal, and may be acknowledged. */
bool cluster_fleet_settle(cluster_fleet *fleet, const char *name, uint64_t epoch, uint64_t nonce, uint64_t now_ns);
/* What an epoch has counted was in the result, and isn't now (C-165), until a partial of it comes again. */
bool cluster_fleet_vanish(cluster_fleet *fleet, const char *name, uint64_t epoch, uint64_t now_ns);
/* It contradicts itself (C-04 to C-06). */
bool cluster_fleet_blame(cluster_fleet *fleet, const char *name, const char *reason, uint64_t now_ns);

/* Time goes on: who is stale, or lost? Also how much of each machine is missing. */
void cluster_fleet_tick(cluster_fleet *fleet, uint64_t now_ns);
/* The query ends at this time: what is missing is counted up to here. */
void cluster_fleet_end(cluster_fleet *fleet, uint64_t end_ns);

/* Machines whose state has changed since they were given out here; NULL: no more. */
const struct cluster_fleet_machine *cluster_fleet_changed(cluster_fleet *fleet);
size_t cluster_fleet_count(const cluster_fleet *fleet);
size_t cluster_fleet_count_of(const cluster_fleet *fleet, enum cluster_state state);
const struct cluster_fleet_machine *cluster_fleet_at(const cluster_fleet *fleet, size_t i);
const struct cluster_fleet_machine *cluster_fleet_find(const cluster_fleet *fleet, const char *name);
/* Is all that it was to count in the result? */
bool cluster_fleet_is_whole(const struct cluster_fleet_machine *machine);
size_t cluster_fleet_count_whole(const cluster_fleet *fleet);
/* Are all of them whole? The result of no machine isn't complete. */
bool cluster_fleet_is_complete(const cluster_fleet *fleet);
/* May more come, so that it is worth waiting for it at the end? */
bool cluster_fleet_is_waiting(const cluster_fleet *fleet);

#endif
