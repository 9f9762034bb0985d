/* SPDX-License-Identifier: MIT-0 */
/*
 * Count, sum, least, largest and mean of numbers: ward_stat for unsigned numbers, ward_stat_signed for signed ones.
 * ward_min and ward_max are the least and the largest alone.
 *
 *	ward_stat sizes;
 *	ward_max longest;
 *	…
 *	ward_stat_add(&st->sizes, ev->arg[2]);
 *	ward_max_add(&st->longest, ev->arg[2]);
 *
 * Merging: counts and sums are added; the least of the least numbers and the largest of the largest are taken. The mean
 * is the merged sum divided by the merged count. Without numbers there is no least, largest or mean.
 *
 * Accuracy: exact; the sum has 128 bits. Cost: constant.
 */
#ifndef WARD_STAT_H
#define WARD_STAT_H

#include "ward/count.h"
#include "ward/key.h"

struct ward_stat_mark {
	char none[0];
};

typedef struct ward_stat {
	struct ward_stat_mark ward_stat[0];
	ward_count count;
	unsigned long sum, min, max; /* min and max only of a count that isn't zero */
	unsigned long high;          /* the upper half of the sum */
} ward_stat;

typedef struct ward_stat_signed {
	struct ward_stat_mark ward_stat[0];
	ward_count count;
	long sum, min, max;
	unsigned long high;
} ward_stat_signed;

WARD_INLINE void ward_stat_add(ward_stat *stat, unsigned long value)
{
	if (!stat->count || value < stat->min)
		stat->min = value;
	if (!stat->count || value > stat->max)
		stat->max = value;
	stat->sum += value;
	stat->high += stat->sum < value;
	stat->count++;
}

WARD_INLINE void ward_stat_signed_add(ward_stat_signed *stat, long value)
{
	if (!stat->count || value < stat->min)
		stat->min = value;
	if (!stat->count || value > stat->max)
		stat->max = value;
	stat->sum += value;
	stat->high += (unsigned long)(value >> 63) + ((unsigned long)stat->sum < (unsigned long)value);
	stat->count++;
}

/* The largest; 0 of no numbers. */
typedef unsigned long ward_max;

WARD_INLINE void ward_max_add(ward_max *max, unsigned long value)
{
	if (value > *max)
		*max = value;
}

/*
 * The least, with all its bits turned round: so zero, as which the state starts, is the largest number there is, and
 * shown as none.
 */
typedef unsigned long ward_min;

WARD_INLINE void ward_min_add(ward_min *min, unsigned long value)
{
	if (~value > *min)
		*min = ~value;
}

/* The least so far; UINT64_MAX of no numbers. */
WARD_INLINE unsigned long ward_min_value(const ward_min *min)
{
	return ~*min;
}

#endif
