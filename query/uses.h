/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WARD_QUERY_USES_H
#define WARD_QUERY_USES_H

#include "plan.h"
#include "query.h"

/* Is what came between two times a difference of totals? That of a ward_stat is, if its extremes aren't used. */
bool keep_has_difference(const struct plan *p, size_t i);

#endif
