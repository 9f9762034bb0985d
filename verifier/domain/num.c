/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract numbers. Operations work on 64-bit views only. For a narrower width they extend the operands first, by
 * zeros and by signs, and combine what each extension says of the low bits. So only add64, sub64 and mul64 deal with
 * wrapping.
 */
#include "num.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int64_t max_s64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_s64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static uint64_t width_mask(unsigned width)
{
	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* All bits from the highest set one down. */
static uint64_t fill_down(uint64_t x)
{
	return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

/* Any number of so many low bits: max is one less than a power of two. */
static struct wv_num low_bits(uint64_t max)
{
	struct wv_num n = wv_num_any();
	n.umax = max;
	n.known = ~max;
	if (max <= INT64_MAX) {
		n.smin = 0;
		n.smax = (int64_t)max;
	}
	if (max <= UINT32_MAX)
		n.lumax = (uint32_t)max;
	if (max <= INT32_MAX) {
		n.lsmin = 0;
		n.lsmax = (int32_t)max;
	}
	return n;
}

struct wv_num wv_num_range(uint64_t min, uint64_t max)
{
	if (min == 0 && (max & (max + 1)) == 0)
		return low_bits(max);
	struct wv_num n = wv_num_any();
	n.umin = min;
	n.umax = max;
	if (min > max || !wv_num_sync(&n))
		return wv_num_any();
	return n;
}

bool wv_num_valid(const struct wv_num *n)
{
	return n->umin <= n->umax && n->smin <= n->smax && n->lumin <= n->lumax && n->lsmin <= n->lsmax &&
	       !(n->bits & ~n->known) && (n->mod <= 1 || n->rem < n->mod);
}

bool wv_num_has(const struct wv_num *n, uint64_t v)
{
	return v >= n->umin && v <= n->umax && (int64_t)v >= n->smin && (int64_t)v <= n->smax &&
	       (uint32_t)v >= n->lumin && (uint32_t)v <= n->lumax && (int32_t)(uint32_t)v >= n->lsmin &&
	       (int32_t)(uint32_t)v <= n->lsmax && (v & n->known) == n->bits && (n->mod <= 1 || v % n->mod == n->rem);
}

/* ---- remainders ---- */

/* The modulus and remainder of a number. Modulus 0 stands for a constant, of which everything is known. */
struct congruence {
	uint64_t mod, rem;
};

static struct congruence congruence_of(const struct wv_num *n)
{
	if (n->umin == n->umax)
		return (struct congruence){0, n->umin};
	return n->mod <= 1 ? (struct congruence){1, 0} : (struct congruence){n->mod, n->rem};
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;
		a = b;
		b = t;
	}
	return a;
}

static void set_congruence(struct wv_num *n, uint64_t mod, uint64_t rem)
{
	n->mod = mod > 1 ? mod : 1;
	n->rem = mod > 1 ? rem % mod : 0;
}

/* Does every value that is `in` modulo its modulus have the remainder that `out` claims? */
static bool congruence_within(const struct wv_num *in, const struct wv_num *out)
{
	if (out->mod <= 1)
		return true;
	struct congruence c = congruence_of(in);
	return c.mod % out->mod == 0 && c.rem % out->mod == out->rem;
}

/* Both hold. If neither modulus divides the other, the first is kept. */
static bool meet_congruence(struct wv_num *n, const struct wv_num *o)
{
	if (o->mod <= 1)
		return true;
	if (n->mod <= 1 || o->mod % n->mod == 0) {
		bool agree = n->mod <= 1 || o->rem % n->mod == n->rem;
		set_congruence(n, o->mod, o->rem);
		return agree;
	}
	return n->mod % o->mod != 0 || n->rem % o->mod == o->rem;
}

/* The ends of the interval move inwards to the next values with the remainder. */
static bool align_to_remainder(struct wv_num *n)
{
	if (n->mod <= 1)
		return true;
	uint64_t at = n->umin % n->mod, up = at <= n->rem ? n->rem - at : n->mod - at + n->rem;
	if (__builtin_add_overflow(n->umin, up, &n->umin))
		return false;
	at = n->umax % n->mod;
	uint64_t down = at >= n->rem ? at - n->rem : at + (n->mod - n->rem);
	if (down > n->umax)
		return false;
	n->umax -= down;
	return n->umin <= n->umax;
}

bool wv_num_within(const struct wv_num *in, const struct wv_num *out)
{
	return in->umin >= out->umin && in->umax <= out->umax && in->smin >= out->smin && in->smax <= out->smax &&
	       in->lumin >= out->lumin && in->lumax <= out->lumax && in->lsmin >= out->lsmin &&
	       in->lsmax <= out->lsmax && !(out->known & ~in->known) && (in->bits & out->known) == out->bits &&
	       congruence_within(in, out);
}

/*
 * The known low bits say which residues are possible: move the ends of the intervals inwards to the next one. With t
 * known low bits, candidates are those whose low t bits equal `bits`; that is so of signed numbers too.
 */
static bool align_unsigned(struct wv_num *n, uint64_t mask, uint64_t rest)
{
	uint64_t lo = (n->umin & ~mask) | rest, hi = (n->umax & ~mask) | rest;
	if (lo < n->umin && __builtin_add_overflow(lo, mask + 1, &lo))
		return false;
	if (hi > n->umax) {
		if (hi < mask + 1)
			return false;
		hi -= mask + 1;
	}
	n->umin = lo;
	n->umax = hi;
	return lo <= hi;
}

static bool align_signed(struct wv_num *n, uint64_t mask, uint64_t rest)
{
	int64_t lo = (int64_t)(((uint64_t)n->smin & ~mask) | rest), hi = (int64_t)(((uint64_t)n->smax & ~mask) | rest);
	if (lo < n->smin && __builtin_add_overflow(lo, (int64_t)mask + 1, &lo))
		return false;
	if (hi > n->smax && __builtin_sub_overflow(hi, (int64_t)mask + 1, &hi))
		return false;
	n->smin = lo;
	n->smax = hi;
	return lo <= hi;
}

static bool align_ends(struct wv_num *n)
{
	if (!(n->known & 1) || n->known == UINT64_MAX)
		return true;
	unsigned t = (unsigned)__builtin_ctzll(~n->known);
	uint64_t mask = (UINT64_C(1) << t) - 1, rest = n->bits & mask;
	/* A step of 2^63 has no signed form; one end each is all that is left then anyway. */
	return align_unsigned(n, mask, rest) && (t >= 62 || align_signed(n, mask, rest));
}

static bool sync_64(struct wv_num *n)
{
	n->umin = max_u64(n->umin, n->bits);
	n->umax = min_u64(n->umax, n->bits | ~n->known);
	if (((int64_t)n->umin >= 0) == ((int64_t)n->umax >= 0)) { /* one sign: both orders agree */
		n->smin = max_s64(n->smin, (int64_t)n->umin);
		n->smax = min_s64(n->smax, (int64_t)n->umax);
	}
	if (n->smin >= 0 || n->smax < 0) {
		n->umin = max_u64(n->umin, (uint64_t)n->smin);
		n->umax = min_u64(n->umax, (uint64_t)n->smax);
	}
	if (n->umin > n->umax || n->smin > n->smax)
		return false;
	return align_ends(n) && align_to_remainder(n);
}

static bool sync_32(struct wv_num *n)
{
	uint32_t known = (uint32_t)n->known, bits = (uint32_t)n->bits;
	n->lumin = (uint32_t)max_u64(n->lumin, bits);
	n->lumax = (uint32_t)min_u64(n->lumax, bits | ~known);
	if (n->umin >> 32 == n->umax >> 32) {
		n->lumin = (uint32_t)max_u64(n->lumin, (uint32_t)n->umin);
		n->lumax = (uint32_t)min_u64(n->lumax, (uint32_t)n->umax);
		n->umin = max_u64(n->umin, (n->umin & ~UINT64_C(0xffffffff)) | n->lumin);
		n->umax = min_u64(n->umax, (n->umax & ~UINT64_C(0xffffffff)) | n->lumax);
	}
	if (n->smin >= INT32_MIN && n->smax <= INT32_MAX) {
		n->lsmin = (int32_t)max_s64(n->lsmin, n->smin);
		n->lsmax = (int32_t)min_s64(n->lsmax, n->smax);
		n->smin = max_s64(n->smin, n->lsmin);
		n->smax = min_s64(n->smax, n->lsmax);
	}
	if (((int32_t)n->lumin >= 0) == ((int32_t)n->lumax >= 0)) {
		n->lsmin = (int32_t)max_s64(n->lsmin, (int32_t)n->lumin);
		n->lsmax = (int32_t)min_s64(n->lsmax, (int32_t)n->lumax);
	}
	if (n->lsmin >= 0 || n->lsmax < 0) {
		n->lumin = (uint32_t)max_u64(n->lumin, (uint32_t)n->lsmin);
		n->lumax = (uint32_t)min_u64(n->lumax, (uint32_t)n->lsmax);
	}
	return n->lumin <= n->lumax && n->lsmin <= n->lsmax && n->umin <= n->umax && n->smin <= n->smax;
}

/* Nothing is known but a signed interval around zero, of which only the signed view of 32 bits can say as much. */
static bool is_around_zero(const struct wv_num *n)
{
	return n->umin == 0 && n->umax == UINT64_MAX && n->smin < 0 && n->smax >= 0 && n->known == 0 && n->lumin == 0 &&
	       n->lumax == UINT32_MAX && n->lsmin == INT32_MIN && n->lsmax == INT32_MAX && n->mod <= 1;
}

/* The bits above the first in which the ends of an interval differ are the same for all values between. */
static bool learn_bits(struct wv_num *n, uint64_t lo, uint64_t hi, uint64_t within)
{
	uint64_t prefix = ~fill_down(lo ^ hi) & within;
	if ((n->bits ^ lo) & n->known & prefix)
		return false;
	n->known |= prefix;
	n->bits |= lo & prefix;
	return true;
}

static bool is_any(const struct wv_num *n)
{
	return n->umax == UINT64_MAX && n->umin == 0 && n->known == 0 && n->smin == INT64_MIN && n->smax == INT64_MAX &&
	       n->lumin == 0 && n->lumax == UINT32_MAX && n->lsmin == INT32_MIN && n->lsmax == INT32_MAX && n->mod <= 1;
}

/*
 * Would another round find nothing more? Nothing, if the ends of the intervals are possible in all views, and
 * intervals of the same values have the same ends.
 */
static bool is_settled(const struct wv_num *n)
{
	uint64_t wrong = ((n->umin ^ n->bits) | (n->umax ^ n->bits)) & n->known;
	uint32_t wrong_low = ((n->lumin ^ (uint32_t)n->bits) | (n->lumax ^ (uint32_t)n->bits)) & (uint32_t)n->known;
	uint64_t wrong_signed = (((uint64_t)n->smin ^ n->bits) | ((uint64_t)n->smax ^ n->bits)) & n->known;
	if (wrong | wrong_low | wrong_signed)
		return false;
	/* If the unsigned ends have one sign, its bit is known, so the signed ones have it too. */
	if (n->smin >> 63 == n->smax >> 63 && (n->umin != (uint64_t)n->smin || n->umax != (uint64_t)n->smax))
		return false;
	if (n->umin >> 32 == n->umax >> 32 && (n->lumin != (uint32_t)n->umin || n->lumax != (uint32_t)n->umax))
		return false;
	return n->mod <= 1 || (n->umin % n->mod == n->rem && n->umax % n->mod == n->rem);
}

/* One value is left: all views say it, if they have it. */
static bool sync_only(struct wv_num *n)
{
	uint64_t only = n->umin;
	bool holds = wv_num_has(n, only);
	*n = wv_num_const(only);
	return holds;
}

/*
 * A round for numbers from 0 to INT32_MAX: all views show the same values, so one interval says what each of them
 * does.
 */
static bool sync_small(struct wv_num *n)
{
	int64_t least = max_s64(max_s64(n->smin, n->lsmin), n->lumin),
		most = min_s64(min_s64(n->smax, n->lsmax), n->lumax);
	if (most < least)
		return false;
	n->umin = max_u64(max_u64(n->umin, (uint64_t)least), n->bits);
	n->umax = min_u64(min_u64(n->umax, (uint64_t)most), n->bits | ~n->known);
	n->smin = (int64_t)n->umin;
	n->smax = (int64_t)n->umax;
	if (n->umin > n->umax || !align_ends(n) || !align_to_remainder(n))
		return false;
	if (n->umin == n->umax)
		return sync_only(n);
	if (!learn_bits(n, n->umin, n->umax, UINT64_MAX))
		return false;
	n->smin = (int64_t)n->umin;
	n->smax = (int64_t)n->umax;
	n->lumin = (uint32_t)n->umin;
	n->lumax = (uint32_t)n->umax;
	n->lsmin = (int32_t)n->umin;
	n->lsmax = (int32_t)n->umax;
	return true;
}

/*
 * A constant and a number of which nothing is known need no round; nearly all others need one. More than three find
 * nothing worth their time.
 */
bool wv_num_sync(struct wv_num *n)
{
	if (is_around_zero(n)) {
		n->lsmin = n->smin >= INT32_MIN && n->smax <= INT32_MAX ? (int32_t)n->smin : INT32_MIN;
		n->lsmax = n->smin >= INT32_MIN && n->smax <= INT32_MAX ? (int32_t)n->smax : INT32_MAX;
		return true;
	}
	if (n->umax <= INT32_MAX) {
		if (!sync_small(n))
			return false;
		if (is_settled(n))
			return true;
	}
	for (int round = 0; round < 3; round++) {
		if (n->umin == n->umax)
			return sync_only(n);
		if (!sync_64(n) || !sync_32(n))
			return false;
		if (n->umin == n->umax)
			return sync_only(n);
		if (!learn_bits(n, n->umin, n->umax, UINT64_MAX) || !learn_bits(n, n->lumin, n->lumax, 0xffffffff))
			return false;
		if (is_settled(n))
			return true;
	}
	return true;
}

/* Narrow *n to what is also one of *o. False: nothing is. */
static bool meet_views(struct wv_num *n, const struct wv_num *o)
{
	if ((n->bits ^ o->bits) & n->known & o->known)
		return false;
	n->umin = max_u64(n->umin, o->umin);
	n->umax = min_u64(n->umax, o->umax);
	n->smin = max_s64(n->smin, o->smin);
	n->smax = min_s64(n->smax, o->smax);
	n->lumin = (uint32_t)max_u64(n->lumin, o->lumin);
	n->lumax = (uint32_t)min_u64(n->lumax, o->lumax);
	n->lsmin = (int32_t)max_s64(n->lsmin, o->lsmin);
	n->lsmax = (int32_t)min_s64(n->lsmax, o->lsmax);
	n->known |= o->known;
	n->bits |= o->bits;
	return meet_congruence(n, o) && wv_num_sync(n);
}

/* Mostly one of the two says all that the other does. */
bool wv_num_meet(struct wv_num *n, const struct wv_num *o)
{
	if (wv_num_within(n, o))
		return true;
	if (!wv_num_within(o, n))
		return meet_views(n, o);
	*n = *o;
	return true;
}

/* A number of which only the low 32 bits are known, as in `n`. */
static struct wv_num low_only(const struct wv_num *n)
{
	struct wv_num r = wv_num_any();
	r.lumin = n->lumin;
	r.lumax = n->lumax;
	r.lsmin = n->lsmin;
	r.lsmax = n->lsmax;
	r.known = n->known & 0xffffffff;
	r.bits = n->bits & 0xffffffff;
	return r;
}

bool wv_num_meet_low(struct wv_num *n, const struct wv_num *other, uint32_t add)
{
	struct wv_num c = wv_num_const(add), sum = wv_num_binary(WV_ADD, 32, other, &c), low = low_only(&sum);
	return meet_views(n, &low);
}

struct wv_num wv_num_join(const struct wv_num *a, const struct wv_num *b)
{
	struct wv_num n = {
		.umin = min_u64(a->umin, b->umin),
		.umax = max_u64(a->umax, b->umax),
		.smin = min_s64(a->smin, b->smin),
		.smax = max_s64(a->smax, b->smax),
		.lumin = (uint32_t)min_u64(a->lumin, b->lumin),
		.lumax = (uint32_t)max_u64(a->lumax, b->lumax),
		.lsmin = (int32_t)min_s64(a->lsmin, b->lsmin),
		.lsmax = (int32_t)max_s64(a->lsmax, b->lsmax),
		.known = a->known & b->known & ~(a->bits ^ b->bits),
	};
	n.bits = a->bits & n.known;
	struct congruence ca = congruence_of(a), cb = congruence_of(b);
	uint64_t apart = ca.rem > cb.rem ? ca.rem - cb.rem : cb.rem - ca.rem;
	set_congruence(&n, gcd(gcd(ca.mod, cb.mod), apart), ca.rem);
	return n;
}

/* Is nothing known of the low 32 bits, but perhaps of some of them? */
static bool is_any_low(const struct wv_num *n)
{
	return n->lumin == 0 && n->lumax == UINT32_MAX && n->lsmin == INT32_MIN && n->lsmax == INT32_MAX;
}

struct wv_num wv_num_zext(const struct wv_num *n, unsigned width)
{
	uint64_t mask = width_mask(width);
	if (n->umax <= mask)
		return *n;
	if (!(n->known & mask) && (width < 32 || is_any_low(n))) /* often: a load, cut down */
		return low_bits(mask);
	struct wv_num r = wv_num_any();
	r.umax = mask;
	r.known = n->known | ~mask;
	r.bits = n->bits & mask;
	if (width == 32) {
		r.umin = n->lumin;
		r.umax = n->lumax;
		r.lumin = n->lumin;
		r.lumax = n->lumax;
		r.lsmin = n->lsmin;
		r.lsmax = n->lsmax;
	}
	return wv_num_sync(&r) ? r : wv_num_range(0, mask);
}

struct wv_num wv_num_sext(const struct wv_num *n, unsigned width)
{
	if (width == 64)
		return *n;
	int64_t top = (int64_t)(width_mask(width) >> 1);
	if (n->smin >= -top - 1 && n->smax <= top)
		return *n;
	struct wv_num r = wv_num_any();
	r.smin = -top - 1;
	r.smax = top;
	if (width == 32) {
		r = low_only(n);
		r.smin = n->lsmin;
		r.smax = n->lsmax;
	} else if (n->umax <= (uint64_t)top) {
		return *n;
	} else {
		r.known = n->known & (uint64_t)top; /* below the sign bit */
		r.bits = n->bits & (uint64_t)top;
	}
	if (wv_num_sync(&r))
		return r;
	r = wv_num_any();
	r.smin = -top - 1;
	r.smax = top;
	return r;
}

struct wv_num wv_num_merge(const struct wv_num *old, const struct wv_num *low, unsigned width)
{
	if (width >= 32)
		return wv_num_zext(low, width);
	struct wv_num mask = wv_num_const(~width_mask(width)), part = wv_num_zext(low, width);
	struct wv_num upper = wv_num_binary(WV_AND, 64, old, &mask);
	return wv_num_binary(WV_OR, 64, &upper, &part);
}

/*
 * Known bits of a + b + carry: a bit is known where both operands' bits and the carry into it are; the carry lies
 * between those of the least and the greatest operands.
 */
static void add_bits(struct wv_num *r, uint64_t aknown, uint64_t abits, uint64_t bknown, uint64_t bbits, uint64_t carry)
{
	uint64_t amax = abits | ~aknown, bmax = bbits | ~bknown;
	uint64_t lo = abits + bbits + carry, hi = amax + bmax + carry;
	uint64_t carry_lo = lo ^ abits ^ bbits, carry_hi = hi ^ amax ^ bmax;
	r->known = aknown & bknown & ~(carry_lo ^ carry_hi);
	r->bits = lo & r->known;
}

/*
 * (x + y) mod m for remainders x, y < m. 2^64 mod m is what a sum that wraps around lacks.
 */
static uint64_t add_mod(uint64_t x, uint64_t y, uint64_t m)
{
	return x >= m - y ? x - (m - y) : x + y;
}

static uint64_t wrap_mod(uint64_t m)
{
	return (UINT64_MAX % m + 1) % m;
}

/* The remainder of a + b, or a - b, where no result wraps around or every one does. */
static void sum_congruence(struct wv_num *r, const struct wv_num *a, const struct wv_num *b, bool minus, bool wraps)
{
	struct congruence ca = congruence_of(a), cb = congruence_of(b);
	uint64_t m = gcd(ca.mod, cb.mod);
	if (m <= 1)
		return;
	uint64_t x = ca.rem % m, y = cb.rem % m, lost = wraps ? wrap_mod(m) : 0;
	if (minus) /* a - b + 2^64 if it wraps */
		x = add_mod(add_mod(x, y ? m - y : 0, m), lost, m);
	else /* a + b - 2^64 if it wraps */
		x = add_mod(add_mod(x, y, m), lost ? m - lost : 0, m);
	set_congruence(r, m, x);
}

static struct wv_num add64(const struct wv_num *a, const struct wv_num *b)
{
	struct wv_num r = wv_num_any();
	uint64_t lo, hi;
	bool wrap_lo = __builtin_add_overflow(a->umin, b->umin, &lo),
	     wrap_hi = __builtin_add_overflow(a->umax, b->umax, &hi);
	if (wrap_lo == wrap_hi) { /* no sum wraps, or every one does */
		r.umin = lo;
		r.umax = hi;
		sum_congruence(&r, a, b, false, wrap_lo);
	}
	int64_t slo, shi;
	if (!__builtin_add_overflow(a->smin, b->smin, &slo) && !__builtin_add_overflow(a->smax, b->smax, &shi)) {
		r.smin = slo;
		r.smax = shi;
	}
	add_bits(&r, a->known, a->bits, b->known, b->bits, 0);
	return r;
}

static struct wv_num sub64(const struct wv_num *a, const struct wv_num *b)
{
	struct wv_num r = wv_num_any();
	uint64_t lo, hi;
	bool wrap_lo = __builtin_sub_overflow(a->umin, b->umax, &lo),
	     wrap_hi = __builtin_sub_overflow(a->umax, b->umin, &hi);
	if (wrap_lo == wrap_hi) {
		r.umin = lo;
		r.umax = hi;
		sum_congruence(&r, a, b, true, wrap_lo);
	}
	int64_t slo, shi;
	if (!__builtin_sub_overflow(a->smin, b->smax, &slo) && !__builtin_sub_overflow(a->smax, b->smin, &shi)) {
		r.smin = slo;
		r.smax = shi;
	}
	add_bits(&r, a->known, a->bits, b->known, ~b->bits & b->known, 1); /* a + ~b + 1 */
	return r;
}

/* x = rem + i * mod times a constant c is rem * c + i * (mod * c). Nothing wraps. */
static void scale_congruence(struct wv_num *r, uint64_t mod, uint64_t rem, uint64_t c)
{
	uint64_t scaled;
	if (c != 0 && !__builtin_mul_overflow(mod, c, &scaled))
		set_congruence(r, scaled, rem * c); /* rem < mod, so this fits too */
}

static void scale_by(struct wv_num *r, const struct wv_num *x, uint64_t c)
{
	scale_congruence(r, x->mod > 1 ? x->mod : 1, x->mod > 1 ? x->rem : 0, c);
}

static void product_congruence(struct wv_num *r, const struct wv_num *a, const struct wv_num *b)
{
	if (wv_num_is_const(b))
		scale_by(r, a, b->umin);
	else if (wv_num_is_const(a))
		scale_by(r, b, a->umin);
}

static struct wv_num mul64(const struct wv_num *a, const struct wv_num *b)
{
	struct wv_num r = wv_num_any();
	uint64_t hi;
	if (!__builtin_mul_overflow(a->umax, b->umax, &hi)) {
		r.umin = a->umin * b->umin;
		r.umax = hi;
		product_congruence(&r, a, b);
	}
	int64_t corner[4];
	bool wraps = __builtin_mul_overflow(a->smin, b->smin, &corner[0]);
	wraps = __builtin_mul_overflow(a->smin, b->smax, &corner[1]) || wraps;
	wraps = __builtin_mul_overflow(a->smax, b->smin, &corner[2]) || wraps;
	wraps = __builtin_mul_overflow(a->smax, b->smax, &corner[3]) || wraps;
	if (!wraps) {
		r.smin = min_s64(min_s64(corner[0], corner[1]), min_s64(corner[2], corner[3]));
		r.smax = max_s64(max_s64(corner[0], corner[1]), max_s64(corner[2], corner[3]));
	}
	/* Trailing zeros add up. */
	uint64_t aones = ~(a->known & ~a->bits), bones = ~(b->known & ~b->bits);
	unsigned zeros =
		(aones ? (unsigned)__builtin_ctzll(aones) : 64) + (bones ? (unsigned)__builtin_ctzll(bones) : 64);
	r.known = zeros >= 64 ? UINT64_MAX : (UINT64_C(1) << zeros) - 1;
	return r;
}

/* A mask clears nothing but low bits of values up to `most`: it rounds them down, and that keeps their order. */
static bool rounds_down(const struct wv_num *mask, uint64_t most)
{
	uint64_t m = mask->bits, low = m & (0 - m);
	return wv_num_is_const(mask) && m && (fill_down(most) & ~(m | (low - 1))) == 0;
}

/* No bit of a | b or a ^ b is in neither, and a bit in both counts twice in the sum: a | b = a + b - (a & b). */
static uint64_t most_of_both(uint64_t a, uint64_t b)
{
	uint64_t most = fill_down(a | b);
	return a <= UINT64_MAX - b ? min_u64(most, a + b) : most;
}

static struct wv_num logic64(enum wv_op op, const struct wv_num *a, const struct wv_num *b)
{
	struct wv_num r = wv_num_any();
	uint64_t both = a->known & b->known, azero = a->known & ~a->bits, bzero = b->known & ~b->bits;
	switch (op) {
	case WV_AND:
		r.known = both | azero | bzero;
		r.bits = a->bits & b->bits;
		r.umax = min_u64(a->umax, b->umax);
		if (rounds_down(b, a->umax))
			r.umin = a->umin & b->bits;
		else if (rounds_down(a, b->umax))
			r.umin = b->umin & a->bits;
		break;
	case WV_OR:
		r.known = both | a->bits | b->bits;
		r.bits = a->bits | b->bits;
		r.umin = max_u64(a->umin, b->umin);
		r.umax = most_of_both(a->umax, b->umax);
		break;
	default: /* WV_XOR */
		r.known = both;
		r.bits = (a->bits ^ b->bits) & both;
		r.umax = most_of_both(a->umax, b->umax);
		break;
	}
	return r;
}

static struct wv_num binary64(enum wv_op op, const struct wv_num *a, const struct wv_num *b)
{
	struct wv_num r;
	if ((op == WV_ADD || op == WV_SUB || op == WV_XOR) && (is_any(a) || is_any(b)))
		return wv_num_any();
	switch (op) {
	case WV_ADD: r = add64(a, b); break;
	case WV_SUB: r = sub64(a, b); break;
	case WV_IMUL: r = mul64(a, b); break;
	case WV_AND:
	case WV_OR:
	case WV_XOR: r = logic64(op, a, b); break;
	default: return wv_num_any();
	}
	return wv_num_sync(&r) ? r : wv_num_any();
}

/* The same for two values that are known. */
static bool const_compute(enum wv_op op, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (op) {
	case WV_ADD: *result = a + b; return true;
	case WV_SUB: *result = a - b; return true;
	case WV_IMUL: *result = a * b; return true;
	case WV_AND: *result = a & b; return true;
	case WV_OR: *result = a | b; return true;
	case WV_XOR: *result = a ^ b; return true;
	default: return false;
	}
}

struct wv_num wv_num_binary(enum wv_op op, unsigned width, const struct wv_num *a, const struct wv_num *b)
{
	uint64_t exact;
	if (wv_num_is_const(a) && wv_num_is_const(b) && const_compute(op, a->umin, b->umin, &exact))
		return wv_num_const(width == 64 ? exact : exact & ((UINT64_C(1) << width) - 1));
	if (width == 64)
		return binary64(op, a, b);
	/* All these operations commute with truncation, so both extensions of the operands have the right low bits. */
	struct wv_num za = wv_num_zext(a, width), zb = wv_num_zext(b, width), z = binary64(op, &za, &zb);
	bool bitwise = op == WV_AND || op == WV_OR || op == WV_XOR; /* the sign is a bit like any other */
	if (bitwise || (za.umax >> (width - 1) == 0 && zb.umax >> (width - 1) == 0)) /* there is but one */
		return wv_num_zext(&z, width);
	struct wv_num sa = wv_num_sext(a, width), sb = wv_num_sext(b, width), s = binary64(op, &sa, &sb);
	struct wv_num r = wv_num_zext(&z, width), also = wv_num_zext(&s, width);
	struct wv_num best = r;
	return wv_num_meet(&best, &also) ? best : r;
}

static struct wv_num shl64(const struct wv_num *a, unsigned lo, unsigned hi)
{
	struct wv_num r = wv_num_any();
	if (a->umax <= UINT64_MAX >> hi) {
		r.umin = a->umin << lo;
		r.umax = a->umax << hi;
		if (lo == hi && a->mod > 1 && a->mod <= UINT64_MAX >> lo)
			set_congruence(&r, a->mod << lo, a->rem << lo);
	}
	if (lo == hi) {
		r.known = a->known << lo | ((UINT64_C(1) << lo) - 1);
		r.bits = a->bits << lo;
	}
	return r;
}

static struct wv_num shr64(const struct wv_num *a, unsigned lo, unsigned hi)
{
	struct wv_num r = wv_num_any();
	r.umin = a->umin >> hi;
	r.umax = a->umax >> lo;
	if (lo == hi) {
		r.known = a->known >> lo | ~(UINT64_MAX >> lo);
		r.bits = a->bits >> lo;
	}
	return r;
}

static struct wv_num sar64(const struct wv_num *a, unsigned lo, unsigned hi)
{
	struct wv_num r = wv_num_any();
	r.smin = a->smin >> (a->smin < 0 ? lo : hi);
	r.smax = a->smax >> (a->smax < 0 ? hi : lo);
	if (lo == hi) {
		r.known = (uint64_t)((int64_t)a->known >> lo);
		r.bits = (uint64_t)((int64_t)a->bits >> lo) & r.known;
	}
	return r;
}

struct wv_num wv_num_shift(enum wv_op op, unsigned width, const struct wv_num *a, const struct wv_num *count)
{
	struct wv_num mask = wv_num_const(width == 64 ? 63 : 31), by = wv_num_binary(WV_AND, 64, count, &mask), from, r;
	if (by.umax > 63) /* a count that contradicts itself, as only an unreachable state can hold */
		by = wv_num_range(0, width == 64 ? 63 : 31);
	unsigned lo = (unsigned)by.umin, hi = (unsigned)by.umax;
	switch (op) {
	case WV_SHL:
		from = wv_num_zext(a, width);
		r = shl64(&from, lo, hi);
		break;
	case WV_SHR:
		from = wv_num_zext(a, width);
		r = shr64(&from, lo, hi);
		break;
	case WV_SAR:
		from = wv_num_sext(a, width);
		r = sar64(&from, lo, hi);
		break;
	default: r = wv_num_any(); break;
	}
	if (!wv_num_sync(&r))
		r = wv_num_any();
	return wv_num_zext(&r, width);
}

/* *a < *b or *a ≤ *b (strict or not) in one order, of which `min` and `max` are the view. */
#define ASSUME_LESS(type, min, max) \
	do { \
		if (strict ? a->min >= b->max : a->min > b->max) \
			return false; \
		type cap_ = (type)(b->max - strict), floor_ = (type)(a->min + strict); \
		bool cuts_a_ = a->max > cap_, cuts_b_ = b->min < floor_; \
		a->max = cuts_a_ ? cap_ : a->max; \
		b->min = cuts_b_ ? floor_ : b->min; \
		return (!cuts_a_ || wv_num_sync(a)) && (!cuts_b_ || wv_num_sync(b)); \
	} while (0)

static bool assume_below(unsigned width, struct wv_num *a, struct wv_num *b, bool strict)
{
	if (width == 64)
		ASSUME_LESS(uint64_t, umin, umax);
	else
		ASSUME_LESS(uint32_t, lumin, lumax);
}

static bool assume_less(unsigned width, struct wv_num *a, struct wv_num *b, bool strict)
{
	if (width == 64)
		ASSUME_LESS(int64_t, smin, smax);
	else
		ASSUME_LESS(int32_t, lsmin, lsmax);
}

static bool assume_equal(unsigned width, struct wv_num *a, struct wv_num *b)
{
	if (width == 64) {
		if (!wv_num_meet(a, b))
			return false;
		*b = *a;
		return true;
	}
	return wv_num_meet_low(a, b, 0) && wv_num_meet_low(b, a, 0);
}

/* A value at an end of an interval is excluded. */
static bool assume_not(unsigned width, struct wv_num *a, const struct wv_num *b)
{
	if (width == 64) {
		if (!wv_num_is_const(b))
			return true;
		uint64_t c = b->umin;
		if (wv_num_is_const(a) && a->umin == c)
			return false;
		a->umin += a->umin == c;
		a->umax -= a->umax == c;
		a->smin += a->smin == (int64_t)c;
		a->smax -= a->smax == (int64_t)c;
	} else {
		if (b->lumin != b->lumax)
			return true;
		uint32_t c = b->lumin;
		if (a->lumin == a->lumax && a->lumin == c)
			return false;
		a->lumin += a->lumin == c;
		a->lumax -= a->lumax == c;
		a->lsmin += a->lsmin == (int32_t)c;
		a->lsmax -= a->lsmax == (int32_t)c;
	}
	return a->umin <= a->umax && a->smin <= a->smax && a->lumin <= a->lumax && a->lsmin <= a->lsmax &&
	       wv_num_sync(a);
}

bool wv_num_assume(enum wv_cond cond, unsigned width, struct wv_num *a, struct wv_num *b)
{
	if (width < 32) {
		/*
		 * The narrow values are the whole ones only if those are small; then a 64-bit comparison says the same.
		 */
		uint64_t limit = cond >= WV_L ? width_mask(width) >> 1 : width_mask(width);
		if (a->umax > limit || b->umax > limit)
			return true;
		width = 64;
	}
	switch (cond) {
	case WV_E: return assume_equal(width, a, b);
	case WV_NE: return assume_not(width, a, b) && assume_not(width, b, a);
	case WV_B: return assume_below(width, a, b, true);
	case WV_BE: return assume_below(width, a, b, false);
	case WV_A: return assume_below(width, b, a, true);
	case WV_AE: return assume_below(width, b, a, false);
	case WV_L: return assume_less(width, a, b, true);
	case WV_LE: return assume_less(width, a, b, false);
	case WV_G: return assume_less(width, b, a, true);
	case WV_GE: return assume_less(width, b, a, false);
	default: return true;
	}
}
