/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of an order to a decision: what is attached, within which limits, or why not. */
#ifndef WARD_CLUSTER_AGENT_ORDER_H
#define WARD_CLUSTER_AGENT_ORDER_H

#include "cluster/wire/choice.h"
#include "config.h"
#include "seen.h"

enum { AGENT_UNITS = 4, AGENT_ORDERS_A_MINUTE = 10, AGENT_CLOCKS_APART_S = 300 };

/* What the machine is. */
struct agent_here {
	struct cluster_machine machine;
	uint8_t kernel[64]; /* its kernel's build-id */
	size_t n_kernel;
};

/* A module that may be attached (modules.c). */
struct agent_module {
	const Ward__Cluster__Variant *variant;
	const void *bytes;
	size_t size;
	struct ward_verdict *verdict; /* accepted */
};

/* What is attached to the kernel, or to processes: several modules of one shape, of which each process gets one. */
struct agent_unit {
	const Ward__Cluster__Unit *order;
	struct agent_module *modules; /* one at least */
	size_t n_modules;
	ward_schema *schema; /* of the first; it does for sums of all */
	char **sites;        /* those of the order; NULL behind the last; none: the module's own */
	char **imports, **settings;
	size_t n_sites, n_imports, n_settings;
};

struct agent_order {
	void *bytes; /* as they came */
	size_t size;
	struct cluster_message envelope, body;
	const Ward__Cluster__Signed *from;
	const Ward__Cluster__Order *order;
	uint8_t digest[CLUSTER_DIGEST]; /* of the body: beats name it */
	char id[2 * CLUSTER_ID + 1];
	struct agent_unit units[AGENT_UNITS];
	size_t n;
	struct agent_limits limits; /* that hold */
};

enum agent_verdict { AGENT_ACCEPTED, AGENT_REFUSED, AGENT_NOT_MEANT };

/* How many were taken in the last minute: C-49. */
struct agent_rate {
	uint64_t at_ns[AGENT_ORDERS_A_MINUTE];
	size_t next;
};
bool agent_rate_take(struct agent_rate *rate, uint64_t now_ns);

/*
 * Signature, key, cluster, time, choice, memory, policy, reviews, verifier, shape, results: in this order, and
 * nothing is looked at before what guards it is right. Of an order that is refused *out holds what is known, for the
 * audit; free it in any case. `again`: it runs here already, as far as `seen` knows, and begins a new epoch.
 */
enum agent_verdict agent_order_decide(const struct agent_config *config, const struct agent_here *here,
	const struct agent_seen *seen, const void *bytes, size_t size, uint64_t now_at, bool again,
	struct agent_order **out, struct ward_error *err);
void agent_order_free(struct agent_order *order);
/* Is it still allowed, by a configuration that was read anew? */
bool agent_order_allowed(const struct agent_config *config, const struct agent_order *order, struct ward_error *err);

#endif
