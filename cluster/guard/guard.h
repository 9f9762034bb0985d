/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - do probes take more of a process's time than allowed?
 *
 * The judge of one process. Each second it is told how much of the process's time was seen, and how much of that was
 * in probes, in any unit: samples, or microseconds. It does no input or output and reads no clock.
 *
 * Samples scatter. A second above the limit only makes the judge suspicious: the sampler (sampler.h) then samples ten
 * times as often. From the next second on the judge adds up. It calls the process ABOVE after three of these seconds or
 * more, once the sum is so far above the limit that chance doesn't explain it (three standard deviations of a count,
 * and one more). A second within the limit ends the suspicion if the sum is within the limit, too. So a probe that
 * takes twice the limit is found in four seconds, one that takes a tenth more takes longer, and a probe below the limit
 * isn't called ABOVE because of one busy second.
 */
#ifndef WARD_CLUSTER_GUARD_GUARD_H
#define WARD_CLUSTER_GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum cluster_guard_verdict { GUARD_CALM, GUARD_SUSPICIOUS, GUARD_ABOVE };

/* All zeros is a judge that hasn't seen anything. */
struct cluster_guard {
	bool suspicious;
	uint32_t seconds; /* of the suspicion, without the one that raised it */
	double ours;      /* the sums of these seconds */
	double all;
};

/*
 * One second more. `noise` is what one unit of `ours` counts for in the scatter: 1 for samples; 0 for a sum that was
 * measured and not sampled. limit_ppm is the limit in millionths of `all`.
 */
enum cluster_guard_verdict cluster_guard_second(
	struct cluster_guard *guard, double ours, double all, double noise, uint32_t limit_ppm);

/* The share since the suspicion began, in millionths; 0 without a suspicion. */
uint32_t cluster_guard_share(const struct cluster_guard *guard);

#endif
