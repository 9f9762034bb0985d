/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates of numbers: arg[0] is the number. */
#include <ward/probe.h>

struct ward_state {
	ward_count count;
	ward_min min;
	ward_max max;
	ward_stat stat;
	ward_stat_signed stat_signed;
	ward_log2 log2;
	WARD_LINEAR(-1000, 7, 300) linear;
	WARD_LINEAR(0, 1, 1) one;
	WARD_LINEAR(5, 1l << 40, 64) wide;
	WARD_QUANTILES(1) coarse;
	WARD_QUANTILES(5) quantiles;
	WARD_QUANTILES(7) fine;
};

WARD_ENTRY("target!work")
void on_number(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long v = ev->arg[0];

	st->count += v;
	ward_min_add(&st->min, v);
	ward_max_add(&st->max, v);
	ward_stat_add(&st->stat, v);
	ward_stat_signed_add(&st->stat_signed, (long)v);
	ward_log2_add(&st->log2, v);
	ward_linear_add(&st->linear, (long)v);
	ward_linear_add(&st->one, (long)v);
	ward_linear_add_n(&st->wide, (long)v, 3);
	ward_quantiles_add(&st->coarse, v);
	ward_quantiles_add(&st->quantiles, v);
	ward_quantiles_add(&st->fine, v);
}
