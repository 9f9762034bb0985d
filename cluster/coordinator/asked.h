/* SPDX-License-Identifier: Apache-2.0 */
/* What an order asks, for who goes on with its query: the text that it was made of, and what must fit it. */
#ifndef WARD_CLUSTER_COORDINATOR_ASKED_H
#define WARD_CLUSTER_COORDINATOR_ASKED_H

#include "run.h"

struct cluster_asked {
	const char *text; /* not ended by a zero byte */
	size_t size;
	uint64_t at; /* its `Now`; 0: the order isn't one of ward query */
	size_t n_units;
	bool is_kernel; /* the first unit */
	uint64_t window_ns;
	enum cluster_by by;
	uint32_t shards;
	uint8_t shape[CLUSTER_DIGEST]; /* of the first unit */
	struct cluster_message message;
};

/* Free with cluster_asked_free also if it fails. WARD_E_USAGE: it isn't what an order must be. */
int cluster_asked_read(const struct cluster_found *found, struct cluster_asked *out, struct ward_error *err);
/* An option of its text, ended by a zero byte, to be freed; NULL without memory. False behind the last one. */
bool cluster_asked_option(const struct cluster_asked *asked, size_t i, char **option);
void cluster_asked_free(struct cluster_asked *asked);

/* Is it signed by this key? */
bool cluster_asked_is_of(const struct cluster_found *found, const struct cluster_secret *secret);
/* The order of a journal that nobody has open; free out->order with free. */
int cluster_asked_journal(int directory, const char *id, struct cluster_found *out, struct ward_error *err);

#endif
