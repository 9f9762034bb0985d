/* SPDX-License-Identifier: Apache-2.0 */
/* What values an expression can have. range.c describes how. */
#ifndef WARD_QUERY_RANGE_H
#define WARD_QUERY_RANGE_H

#include "expr.h"

enum { RANGE_MOST = 1024 };

/* How many different values there are at most; RANGE_MOST: many. */
uint64_t range_count(const struct expr *e);
/* They are less than that, and none is negative; 0: that isn't known, or more than RANGE_MOST. */
uint64_t range_bound(const struct expr *e);
/* Does each of them fit in a number of so many bits? */
bool range_fits(const struct expr *e, unsigned bits, bool is_signed);

#endif
