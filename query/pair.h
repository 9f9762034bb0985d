/* SPDX-License-Identifier: Apache-2.0 */
/* Two events that are one. pair.c describes how. */
#ifndef WARD_QUERY_PAIR_H
#define WARD_QUERY_PAIR_H

#include "names.h"

/* Whose member it is: of an event as it comes, of the one before it, or of one that the reader joins. */
enum side { SIDE_NONE, SIDE_FIRST, SIDE_SECOND };

/*
 * What an event of that side has is kept, and taken from there; `e` as it is, if that is SIDE_NONE. After an error the
 * result has no meaning.
 */
struct expr *capture(struct resolver *r, struct expr *e, uint64_t side);

/* The same in any case. */
struct expr *capture_value(struct resolver *r, struct expr *e, uint64_t side);

/* Sites whose events are rows, or the first ones of a pair. */
size_t count_sites(const struct plan *p, bool first);

#endif
