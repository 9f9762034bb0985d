/* SPDX-License-Identifier: Apache-2.0 */
/* What histograms have in common. */
#ifndef WARD_LOADER_STATE_KINDS_BUCKETS_H
#define WARD_LOADER_STATE_KINDS_BUCKETS_H

#include "results.h"

/* Their partial is a cell for each bucket, of which there are f->n in most kinds. Partials add up. */
uint32_t buckets_cells(const struct state_field *f);
void buckets_take(const struct state_field *f, const unsigned char *state, uint64_t *into);

/* The results are the buckets from the first to the last one that isn't empty. bound says what a bucket counts. */
bool buckets_finish(const struct state_field *f, const struct wl_words *words,
	void (*bound)(const struct state_field *f, size_t bucket, struct ward_bucket *out), struct ward_field *out,
	struct heap *heap);

/* How many numbers there are in all buckets. */
uint64_t buckets_weight(const struct ward_field *f);

void buckets_results(const struct ward_field *f, ward_result_fn *fn, void *user);

#endif
