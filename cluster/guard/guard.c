/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of one process: guard.h says by what it decides. */
#include "guard.h"

#include <math.h>

enum { LEAST_SECONDS = 3, DEVIATIONS = 3, MILLION = 1000000 };

/* C-102: is `ours` more than chance makes of a share at the limit? */
static bool is_certain(double ours, double all, double noise, double limit)
{
	double most = limit * all;

	return ours > most + noise * (DEVIATIONS * sqrt(most) + 1);
}

/* C-101. The second that makes the judge suspicious was picked because it was above the limit: it is no evidence. */
enum cluster_guard_verdict cluster_guard_second(
	struct cluster_guard *guard, double ours, double all, double noise, uint32_t limit_ppm)
{
	double limit = (double)limit_ppm / MILLION;
	bool above = ours > limit * all;

	if (all <= 0)
		return guard->suspicious ? GUARD_SUSPICIOUS : GUARD_CALM;
	if (!guard->suspicious) {
		guard->suspicious = above;
		return above ? GUARD_SUSPICIOUS : GUARD_CALM;
	}
	guard->ours += ours;
	guard->all += all;
	guard->seconds++;
	if (!above && guard->ours <= limit * guard->all) {
		*guard = (struct cluster_guard){0};
		return GUARD_CALM;
	}
	if (guard->seconds >= LEAST_SECONDS && is_certain(guard->ours, guard->all, noise, limit))
		return GUARD_ABOVE;
	return GUARD_SUSPICIOUS;
}

uint32_t cluster_guard_share(const struct cluster_guard *guard)
{
	return guard->all > 0 ? (uint32_t)(guard->ours / guard->all * MILLION) : 0;
}
