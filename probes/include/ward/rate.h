/* SPDX-License-Identifier: MIT-0 */
/*
 * Doing something only now and then: sampling one event of N, and limiting a rate.
 *
 *	ward_sample sample;
 *	ward_rate rate;
 *	…
 *	if (ward_sample_every(&st->sample, 100))
 *		…
 *	if (ward_rate_pass(&st->rate, ev->time, 2000000, 10))
 *		…
 *
 * Each counts what it passed and what it refused, in its own thread.
 *
 * Merging: both counts are added. Scale results by passed / (passed + refused).
 */
#ifndef WARD_RATE_H
#define WARD_RATE_H

#include "ward/count.h"
#include "ward/key.h"

struct ward_gate_mark {
	char none[0];
};

typedef struct ward_sample {
	struct ward_gate_mark ward_gate[0];
	ward_count passed, refused;
	unsigned long left;   /* events until the next that passes */
	unsigned long random; /* 0 at first */
} ward_sample;

WARD_INLINE bool ward_gate_count(bool pass, ward_count *passed, ward_count *refused)
{
	*passed += pass;
	*refused += !pass;
	return pass;
}

/* True for the first event and every n-th after it. n is at least 1. */
WARD_INLINE bool ward_sample_every(ward_sample *sample, unsigned long n)
{
	bool pass = sample->left == 0;

	sample->left = (pass ? n : sample->left) - 1;
	return ward_gate_count(pass, &sample->passed, &sample->refused);
}

/*
 * True for one event of n on average, each by a draw of its own: no event that comes every n-th time is always or never
 * among them. The numbers are xorshift64*'s, the same in every run and thread; they are no secret. n is at least 1; the
 * probability is 1/n to within 2^-32.
 */
WARD_INLINE bool ward_sample_random(ward_sample *sample, unsigned n)
{
	unsigned long x = sample->random ? sample->random : WARD_GOLDEN;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	sample->random = x;
	x = (x * 0x2545f4914f6cdd1dul) >> 32;
	return ward_gate_count((x * n) >> 32 == 0, &sample->passed, &sample->refused);
}

/*
 * A token bucket: it holds `burst` tokens at first and at most, gets one more each `interval` of time, and each event
 * that passes takes one. The unit of time is the caller's: ev->time counts the processor's time stamps, ward_clock()
 * nanoseconds. A step back of the clock passes no event that wouldn't have passed without it. Times must stay below
 * 2^64 - burst × interval.
 *
 * What is kept is the time at which the bucket will be full again; tokens missing are that time from now, in intervals.
 * So there is no division, and no rounding.
 */
typedef struct ward_rate {
	struct ward_gate_mark ward_gate[0];
	ward_count passed, refused;
	unsigned long full; /* the time */
} ward_rate;

WARD_INLINE bool ward_rate_pass(ward_rate *rate, unsigned long now, unsigned long interval, unsigned long burst)
{
	unsigned long missing = rate->full > now ? rate->full - now : 0, most;
	bool pass;

	if (__builtin_mul_overflow(burst - 1, interval, &most))
		most = ~0ul;
	pass = burst != 0 && missing <= most;
	if (pass && __builtin_add_overflow(now + missing, interval, &rate->full))
		rate->full = ~0ul;
	return ward_gate_count(pass, &rate->passed, &rate->refused);
}

#endif
