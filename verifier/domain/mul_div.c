/* SPDX-License-Identifier: Apache-2.0 */
#include "mul_div.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

static uint64_t mask_of(unsigned width)
{
	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* ---- products ---- */

/* The upper half lies between those of the least and the greatest product. */
static struct wv_num high_unsigned(const struct wv_num *a, const struct wv_num *b)
{
	u128 least = (u128)a->umin * b->umin, most = (u128)a->umax * b->umax;
	return wv_num_range((uint64_t)(least >> 64), (uint64_t)(most >> 64));
}

static struct wv_num signed_range(int64_t min, int64_t max)
{
	struct wv_num n = wv_num_any();
	n.smin = min;
	n.smax = max;
	return min <= max && wv_num_sync(&n) ? n : wv_num_any();
}

static int64_t upper_half(int64_t a, int64_t b)
{
	return (int64_t)((s128)a * b >> 64);
}

/* The extremes of a product of intervals are at their corners. */
static struct wv_num high_signed(const struct wv_num *a, const struct wv_num *b)
{
	const int64_t corner[4] = {upper_half(a->smin, b->smin), upper_half(a->smin, b->smax),
		upper_half(a->smax, b->smin), upper_half(a->smax, b->smax)};
	int64_t least = corner[0], most = corner[0];
	for (int i = 1; i < 4; i++) {
		least = corner[i] < least ? corner[i] : least;
		most = corner[i] > most ? corner[i] : most;
	}
	return signed_range(least, most);
}

void wv_num_product(unsigned width, bool is_signed, const struct wv_num *a, const struct wv_num *b, struct wv_num *low,
	struct wv_num *high)
{
	if (width == 64) {
		struct wv_num l = wv_num_binary(WV_IMUL, 64, a, b);
		*high = is_signed ? high_signed(a, b) : high_unsigned(a, b);
		*low = l;
		return;
	}
	/* The whole product fits into 64 bits. */
	struct wv_num x = is_signed ? wv_num_sext(a, width) : wv_num_zext(a, width),
		      y = is_signed ? wv_num_sext(b, width) : wv_num_zext(b, width);
	struct wv_num p = wv_num_binary(WV_IMUL, 64, &x, &y), by = wv_num_const(width),
		      h = wv_num_shift(WV_SHR, 64, &p, &by);
	*low = wv_num_zext(&p, width);
	*high = wv_num_zext(&h, width);
}

/* ---- quotients ---- */

struct wv_dividend wv_dividend_of(unsigned width, const struct wv_num *high, const struct wv_num *low)
{
	struct wv_num h = wv_num_sext(high, width);
	s128 unit = (s128)1 << width; /* 2^64 · 2^63 still fits */
	return (struct wv_dividend){
		.min = h.smin * unit + low->umin,
		.max = h.smax * unit + low->umax,
		.umin = ((u128)high->umin << width) + low->umin,
		.umax = ((u128)high->umax << width) + low->umax,
	};
}

struct wv_dividend wv_dividend_narrow(unsigned width, const struct wv_num *n)
{
	struct wv_num s = wv_num_sext(n, width);
	return (struct wv_dividend){.min = s.smin, .max = s.smax, .umin = n->umin, .umax = n->umax};
}

static enum wv_division divide_unsigned(unsigned width, const struct wv_dividend *n, const struct wv_num *d,
	struct wv_num *quotient, struct wv_num *remainder)
{
	u128 most = n->umax / d->umin;
	if (most > mask_of(width))
		return WV_DIVIDES_TOO_BIG;
	uint64_t rest = d->umax - 1;
	*quotient = wv_num_range((uint64_t)(n->umin / d->umax), (uint64_t)most);
	*remainder = most == 0 ? wv_num_range((uint64_t)n->umin, (uint64_t)n->umax)
			       : wv_num_range(0, n->umax < rest ? (uint64_t)n->umax : rest);
	return WV_DIVIDES;
}

struct interval {
	s128 least, most;
};

/* Of divisors of one sign, quotients are extreme at the ends of theirs and of the dividend's interval. */
static void interval_widen(struct interval *q, const struct wv_dividend *n, int64_t from, int64_t to)
{
	const s128 at[4] = {n->min / from, n->min / to, n->max / from, n->max / to};
	for (int i = 0; i < 4; i++) {
		q->least = at[i] < q->least ? at[i] : q->least;
		q->most = at[i] > q->most ? at[i] : q->most;
	}
}

/* hardly a quotient of a dividend beyond it fits, and -2^127 / -1 would overflow here too */
static const s128 limit = (s128)1 << 126;

/* By the divisors of either sign that there are; none of them is zero. */
static struct interval quotients_of(const struct wv_dividend *n, const struct wv_num *d)
{
	struct interval range = {limit, -limit};
	if (d->smin < 0)
		interval_widen(&range, n, d->smin, d->smax < 0 ? d->smax : -1);
	if (d->smax > 0)
		interval_widen(&range, n, d->smin > 0 ? d->smin : 1, d->smax);
	return range;
}

/* The remainder has the dividend's sign, is no larger than it, and smaller than the divisor. */
static struct interval remainders_of(const struct wv_dividend *n, const struct wv_num *d)
{
	s128 rest = (d->smax > -(s128)d->smin ? (s128)d->smax : -(s128)d->smin) - 1;
	return (struct interval){n->min >= 0      ? 0
				 : n->min < -rest ? -rest
						  : n->min,
		n->max <= 0     ? 0
		: n->max > rest ? rest
				: n->max};
}

static enum wv_division divide_signed(unsigned width, const struct wv_dividend *n, const struct wv_num *divisor,
	struct wv_num *quotient, struct wv_num *remainder)
{
	struct wv_num d = wv_num_sext(divisor, width);
	int64_t top = (int64_t)(mask_of(width) >> 1);
	if (n->min < -limit || n->max > limit)
		return WV_DIVIDES_TOO_BIG;
	struct interval range = quotients_of(n, &d);
	if (range.least < -(s128)top - 1 || range.most > top)
		return WV_DIVIDES_TOO_BIG;
	struct interval rest = remainders_of(n, &d);
	struct wv_num q = signed_range((int64_t)range.least, (int64_t)range.most),
		      r = signed_range((int64_t)rest.least, (int64_t)rest.most);
	*quotient = wv_num_zext(&q, width);
	*remainder = wv_num_zext(&r, width);
	return WV_DIVIDES;
}

enum wv_division wv_num_divide(unsigned width, bool is_signed, const struct wv_dividend *n,
	const struct wv_num *divisor, struct wv_num *quotient, struct wv_num *remainder)
{
	*quotient = *remainder = wv_num_range(0, mask_of(width));
	if (divisor->umin == 0)
		return WV_DIVIDES_BY_ZERO;
	return is_signed ? divide_signed(width, n, divisor, quotient, remainder)
			 : divide_unsigned(width, n, divisor, quotient, remainder);
}
