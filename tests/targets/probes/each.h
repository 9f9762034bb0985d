/* SPDX-License-Identifier: Apache-2.0 */
/* A probe for each of the functions of a random program. */
#ifndef WARD_TESTS_TARGETS_EACH_H
#define WARD_TESTS_TARGETS_EACH_H

#include <ward/probe.h>

#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define SITE(k) "prog!t_" #k

/* As runtime/tally.h has it. */
enum { NUMBER = 0xff, ODD = 1 << 14, TIMED = 1 << 15 };
#define VALUE(x) ((x) * 0x9e3779b97f4a7c15u + 12345)

struct function {
	ward_count calls, args, rets, sums, throws;
	ward_count foreign; /* an event of another function's, or of another call */
	ward_count early;   /* a call took longer than it can have */
	ward_count late;    /* or not as long */
	ward_count odd;     /* something else that can't be */
};

struct ward_state {
	struct function f[8];
};

/* What is known of each return. */
static inline void pair(const struct ward_event *ev, struct function *f, unsigned long k)
{
	unsigned long x = ev->arg[0];

	f->rets++;
	f->sums += x & ODD || !ev->caller ? 0 : ev->ret; /* nothing is returned yet at a tail call */
	f->foreign += (x & NUMBER) != k || (!(x & (ODD | TIMED)) && ev->caller && ev->ret != VALUE(x));
}

/* And of each time: arg[1] is the time before the call, if there was any. */
static inline void timed(const struct ward_event *ev, struct function *f)
{
	if (!ev->arg[1])
		return;
	f->early += ev->elapsed > ev->time - ev->arg[1];
	f->late += (ev->arg[0] & TIMED) && ev->caller && ev->elapsed < ev->ret;
}

#endif
