/* The builders of queries: inputs, the run, and what must hold of its outcome. */
#ifndef WARD_Z3_QUERIES_H
#define WARD_Z3_QUERIES_H

#include "statement.h"

void build_narrowing(const struct query *q);
void build_learn(const struct query *q);
void build_meet(const struct query *q);
void build_meet_low(const struct query *q);
void build_join(const struct query *q);
void build_within(const struct query *q);
void build_valid(const struct query *q);
void build_has(const struct query *q);
void build_is_const(const struct query *q);
void build_any(const struct query *q);
void build_add_mod(const struct query *q);
void build_gcd(const struct query *q);
void build_scale(const struct query *q);
void build_extend(const struct query *q);
void build_merge(const struct query *q);
void build_binary64(const struct query *q);
void build_binary(const struct query *q);
void build_shift(const struct query *q);
void build_exclude(const struct query *q);
void build_assume(const struct query *q);
void build_flags(const struct query *q);

#endif
