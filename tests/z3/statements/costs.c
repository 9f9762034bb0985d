/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.c: sums and products of the worst case. The greatest number stands for itself and for all above it. So every
 * smaller result is exact, and where a result keeps a smaller limit, the true number keeps it too.
 */
#include "tests/z3/engine/arith.h"
#include "queries.h"

static struct memory memory;

/* uint64_t saturated_sum(a, b), saturated_product(a, b) */
void build_saturating(const struct query *q)
{
	term a = input("a", 64), b = input("b", 64), most = bits(64, UINT64_MAX), sum = add(zext(a, 128), zext(b, 128));
	struct product p = product(a, b);
	struct value args[] = {exec_bits(a), exec_bits(b)};
	term exact = q->op ? wide(&p) : sum, r = call_function(q, args, &memory).part[0];
	prove("exact below the greatest", implies(not_(eq(r, most)), eq(zext(r, 128), exact)));
	prove("the greatest only for what is at least that", implies(eq(r, most), ule(zext(most, 128), exact)));
	prove_hazards(truth(true));
}
