/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WARD_QUERY_USES_H
#define WARD_QUERY_USES_H

#include "plan.h"
#include "query.h"

/* Is what came between two times a difference of totals? That of a ward_stat is, if its extremes aren't used. */
bool keep_has_difference(const struct plan *p, size_t i);
/* Does it have a member of its own in the probe? */
bool keep_is_there(const struct plan_keep *k);
/* R8: what no row uses isn't kept; earlier events neither. */
void rewrite_unused(struct query *q);
/* Is it kept by windows in the probe? */
bool keep_is_windowed(const struct plan *p, size_t i);
bool any_is_windowed(const struct plan *p);
/* Does the expression have this constant of the session, maybe by a part of the key? */
bool expr_has_session(const struct plan *p, const struct expr *e, uint64_t which);
/* Does it read the clock? */
bool expr_has_time(const struct expr *e);
/* Does it call for what isn't in registers: the target's memory, or the running process? */
bool expr_calls(const struct expr *e);

#endif
