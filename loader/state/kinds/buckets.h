/* SPDX-License-Identifier: Apache-2.0 */
/* What histograms have in common. */
#ifndef WARD_LOADER_STATE_KINDS_BUCKETS_H
#define WARD_LOADER_STATE_KINDS_BUCKETS_H

#include "results.h"

/* The sum of one bucket over all states. */
uint64_t buckets_sum(const struct state_field *f, const struct states *states, size_t bucket);

/* Make those buckets the results that are from the first to the last one that isn't empty. */
void buckets_keep(const struct ward_bucket *all, size_t n, struct ward_field *out);

/* How many numbers there are in all buckets. */
uint64_t buckets_weight(const struct ward_field *f);

void buckets_results(const struct ward_field *f, ward_result_fn *fn, void *user);

#endif
