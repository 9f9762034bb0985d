/* SPDX-License-Identifier: Apache-2.0 */
/* Which machines an order is for: by name, by labels, and by lot. */
#ifndef WARD_CLUSTER_WIRE_CHOICE_H
#define WARD_CLUSTER_WIRE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum { CLUSTER_LABELS = 64 }; /* of a machine, at most; as limits.def says */

/* What a machine is. */
struct cluster_machine {
	const char *host; /* web17.example.net */
	const char *const *labels;
	size_t n_labels; /* "role=web" */
};

/*
 * A selector is words between spaces (C-39). KEY=GLOB fits if a label of that key fits; a word without an equals sign
 * is a glob of the host's name. All keys must fit, and one of the names, if there are any.
 */
bool cluster_selector_check(const char *selector, size_t n, struct ward_error *err);
bool cluster_selector_fits(const char *selector, size_t n, const struct cluster_machine *machine);

/* The lot of a machine in a query: the same for everybody, and evenly spread (C-40). */
uint64_t cluster_lot(const uint8_t query[CLUSTER_ID], const char *host);
/* Is the machine chosen? */
bool cluster_choice_fits(
	const Ward__Cluster__Choice *choice, const uint8_t query[CLUSTER_ID], const struct cluster_machine *machine);
/* The same of one that says hello, under this name. */
bool cluster_hello_fits(const Ward__Cluster__Hello *m, const char *host, const Ward__Cluster__Choice *choice,
	const uint8_t query[CLUSTER_ID]);

#endif
