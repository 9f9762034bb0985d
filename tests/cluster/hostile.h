/* SPDX-License-Identifier: Apache-2.0 */
/* Partials that break one rule each: of spec/partial.md (W-…) or spec/cluster.md (C-…). */
#ifndef WARD_TESTS_CLUSTER_HOSTILE_H
#define WARD_TESTS_CLUSTER_HOSTILE_H

#include <partial.pb-c.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	HOSTILE_BYTES = 16 << 10, /* the limit of one partial that HOSTILE_LONG is beyond */
	HOSTILE_FLAG_LAST = 1,
};

struct hostile {
	const char *name; /* the rule, and how it is broken: the file's name, too */
	bool any;         /* of a partial of any shape whose first field is a count; else of tests/state/shape.h */
	void (*spoil)(Ward__Partial *m);
	unsigned before_flags; /* of the partial that the same machine has sent before */
	const char *tail;      /* bytes behind the message, … */
	size_t n_tail, times;  /* … as often as this */
	bool half;             /* and only the first half of it is sent */
};

extern const struct hostile hostiles[];
extern const size_t n_hostiles;

/* Spoil a good partial: epoch 1, sequence 2 or more, some events. Free the result. */
void *hostile_make(const struct hostile *h, const void *good, size_t n_good, size_t *size);

#endif
