/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up machines: an agent's part of the conversation, with a state of one number (probes/count.c) that the caller
 * moves. sim.c describes what they do.
 */
#ifndef WARD_TESTS_CLUSTER_SIM_H
#define WARD_TESTS_CLUSTER_SIM_H

#include "cluster/agent/windows.h"
#include "cluster/bus/bus.h"
#include "cluster/wire/sign.h"
#include "cluster/wire/subject.h"
#include "ward/partial.h"

enum sim_mood { SIM_WILLING, SIM_REFUSES, SIM_NO_TARGET, SIM_LIES };

struct sim {
	bus *b;
	char host[CLUSTER_NAME], name[CLUSTER_NAME];
	const char *label; /* or NULL */
	enum sim_mood mood;
	uint64_t agent, epoch, nonce, sequence, note_sequence;
	uint64_t clock_from;      /* its time of the day is so much more than the time of steps */
	uint64_t beat, beat_ns;   /* the last one */
	double counts_per_us;     /* of its time stamp counter, as it says; 0: it says none */
	uint64_t missed;          /* processes that it couldn't probe */
	uint64_t count;           /* of this epoch */
	bool has_no_state;        /* the module has another state than a number */
	uint64_t records, unread; /* as its partials say of records */
	void (*on_got)(
		void *user, uint64_t epoch, uint64_t nonce, uint64_t below); /* or NULL: records are acknowledged */
	void *user;
	uint64_t connects, hello_ns, note_ns, part_ns; /* when they are due */
	uint64_t end_ns, lease_ns, lease_end_ns, period_ns;
	uint32_t shards;
	uint64_t orders, beats, wants_ns;
	ward_schema *schema; /* of the order; NULL: it has none */
	ward_names *names;
	uint8_t query[CLUSTER_ID], digest[CLUSTER_DIGEST];
	bool runs, is_last, sent_last, is_got;
	uint64_t term, coordinator; /* that it follows */
	void *order;                /* as it came */
	size_t order_size;
	bool dies;                    /* … it counts no more, too */
	bool goes;                    /* for who steps it: it is cut off */
	uint64_t acknowledged;        /* epochs */
	uint64_t day_ns;              /* its time of the day at 0 of the other clock */
	struct agent_windows windows; /* an agent's own */
	uint64_t got_windows;         /* acknowledgements of windows */
};

/* The bus is the machine's from now on. */
void sim_open(struct sim *s, bus *b, const char *host, const char *label);
void sim_close(struct sim *s);
/* Take messages, and say what is due. Nanoseconds of a clock that never goes back. */
void sim_step(struct sim *s, uint64_t now_ns);
/* It dies, with what it has counted since its last partial, and comes back with a new epoch. */
void sim_crash(struct sim *s);

#endif
