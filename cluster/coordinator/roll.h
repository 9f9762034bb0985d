/* SPDX-License-Identifier: Apache-2.0 */
/* Who is there: the machines that answer to a roll call, and what they say of themselves. roll.c describes how. */
#ifndef WARD_CLUSTER_COORDINATOR_ROLL_H
#define WARD_CLUSTER_COORDINATOR_ROLL_H

#include "cluster/wire/subject.h"
#include "run.h"

/* A machine. All texts are its own claims, and printable. */
struct cluster_present {
	char host[CLUSTER_NAME];
	char labels[1024]; /* "role=web rack=b3" */
	char version[65], release[129];
	char kernel[2 * 64 + 1]; /* its kernel's build-id, in hexadecimal digits */
	char refuses[512];       /* what its policy refuses, in words */
	/*
	 * its clock less this computer's, and by how much that may be wrong: half of the way there and back. -1: that
	 * way isn't known, and is in the difference
	 */
	int64_t clock_ns, clock_error_ns;
	size_t n_queries; /* that run there */
	uint8_t (*query)[CLUSTER_ID];
	size_t n_kept; /* that have ended there, and whose last values it keeps: they follow in query[] */
	bool fits;     /* the selector that was asked for */
	uint64_t lot;  /* in a draw */
};

struct cluster_roll {
	struct cluster_present *at; /* in the order of their names */
	size_t n, room;
	struct cluster_now called; /* when the call was sent; `at` is its counter */
	uint64_t refused;          /* messages that were no hello of their sender's */
	const char *cluster, *selector;
};

/*
 * Call the roll and take hellos until `wait_ms` have gone. `now` is both clocks. Free with cluster_roll_free in any
 * case. WARD_E_TARGET: the call can't be sent.
 */
int cluster_roll_call(bus *b, const struct cluster_secret *secret, const char *cluster, int64_t wait_ms,
	struct cluster_now (*now)(void), struct cluster_roll *out, struct ward_error *err);
void cluster_roll_free(struct cluster_roll *roll);

/*
 * C-136: of the machines that answer and fit a selector, the `n` with the lowest lots in this query, in the order of
 * their names. As cluster_roll_call. WARD_E_TARGET: there are fewer.
 */
struct cluster_draw {
	const char *selector;
	size_t n;
	uint8_t query[CLUSTER_ID]; /* what was drawn first: the ID of the query that is to be */
};
int cluster_roll_draw(bus *b, const struct cluster_secret *secret, const char *cluster, struct cluster_draw *draw,
	int64_t wait_ms, struct cluster_now (*now)(void), struct cluster_roll *out, struct ward_error *err);

/* End a query, whoever runs it, as far as machines take that of this key. WARD_E_TARGET: it can't be sent. */
int cluster_roll_cancel(bus *b, const struct cluster_secret *secret, const char *cluster,
	const uint8_t query[CLUSTER_ID], const char *reason, struct cluster_now now, struct ward_error *err);

#endif
