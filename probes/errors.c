/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions fail, and how often?
 *
 *	ward trace -p PID -d 10 -f 'libc.so.6!*' probes/errors.c
 *
 * For each function the probe counts its returns, and how many of them returned -1 (as an int or a long), another
 * negative number, or zero, which is also NULL. The function's manual says which of these mean failure. At a tail
 * call the return value isn't known here: such returns are counted as `others`.
 */
#include <ward/probe.h>

struct result {
	ward_count returns, minus_one, negative, zero, others;
};

struct ward_state {
	WARD_MAP(ward_site, struct result, 4096) by_site;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	struct result *r = ward_map_at(&st->by_site, (ward_site)ev->site);
	bool minus_one = ev->ret == ~0ul || ev->ret == 0xffffffff;

	if (!ev->caller) {
		r->others++;
		return;
	}
	r->returns++;
	r->minus_one += minus_one;
	r->negative += !minus_one && ((long)ev->ret < 0 || (ev->ret >> 32 == 0 && (int)ev->ret < 0));
	r->zero += ev->ret == 0;
}
