/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of what was kept: their order, and computing with their results. */
#ifndef WARD_QUERY_ENTRIES_H
#define WARD_QUERY_ENTRIES_H

#include "plan.h"
#include "query.h"

/* By what entries are told apart: the parts of their keys, and sessions. */
struct entry_order {
	size_t n_keys;
	unsigned apart;
};
struct entry_order entry_order_of(const struct query *q);
/* For qsort_r, with that order. */
int entry_compare(const void *x, const void *y, void *order);

/* The mean, by count and sum. */
double result_mean(const struct query_result *r);
/* Add the sum, count and mean of one result to another one. */
void result_add_sum(struct query_result *r, const struct query_result *other);

#endif
