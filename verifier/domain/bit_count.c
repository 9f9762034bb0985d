/* SPDX-License-Identifier: Apache-2.0 */
#include "bit_count.h"

static uint64_t mask_of(unsigned width)
{
	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Bits that may be set. */
static uint64_t possible_bits(unsigned width, const struct wv_num *a)
{
	return (a->bits | ~a->known) & mask_of(width);
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static unsigned top_bit(uint64_t x)
{
	return x ? 63 - (unsigned)__builtin_clzll(x) : 0;
}

/* 2^n - 1 for any n. */
static uint64_t ones_below(uint64_t n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

struct wv_num wv_num_popcnt(unsigned width, const struct wv_num *a)
{
	uint64_t least = (uint64_t)__builtin_popcountll(a->bits & mask_of(width));
	return wv_num_range(least || !a->umin ? least : 1, (uint64_t)__builtin_popcountll(possible_bits(width, a)));
}

static unsigned leading_zeros(unsigned width, uint64_t x)
{
	return x ? width - 1 - top_bit(x) : width;
}

struct wv_num wv_num_lzcnt(unsigned width, const struct wv_num *a)
{
	return wv_num_range(leading_zeros(width, a->umax), leading_zeros(width, a->umin));
}

static unsigned trailing_zeros(unsigned width, uint64_t x)
{
	return x ? (unsigned)__builtin_ctzll(x) : width;
}

/*
 * The lowest set bit is not below the lowest possible one, and not above one that is known to be set or the highest of
 * all.
 */
struct wv_num wv_num_tzcnt(unsigned width, const struct wv_num *a)
{
	uint64_t set = a->bits & mask_of(width);
	unsigned least = trailing_zeros(width, possible_bits(width, a)), most = set       ? trailing_zeros(width, set)
										: a->umin ? top_bit(a->umax)
											  : width;
	return least <= most ? wv_num_range(least, most) : wv_num_range(0, width);
}

struct wv_num wv_num_top(unsigned width, const struct wv_num *a)
{
	(void)width;
	return wv_num_range(top_bit(a->umin), top_bit(a->umax));
}

struct wv_num wv_num_lowest(enum wv_op op, unsigned width, const struct wv_num *a)
{
	struct wv_num one = wv_num_const(1), zero = wv_num_const(0), other, r, cap;
	switch (op) {
	case WV_BLSI:
		other = wv_num_binary(WV_SUB, width, &zero, a);
		r = wv_num_binary(WV_AND, width, a, &other);
		cap = wv_num_range(a->umin ? 1 : 0, a->umax);
		break;
	case WV_BLSMSK:
		other = wv_num_binary(WV_SUB, width, a, &one);
		r = wv_num_binary(WV_XOR, width, a, &other);
		cap = wv_num_range(1, a->umin ? ones_below((uint64_t)top_bit(a->umax) + 1) : mask_of(width));
		break;
	default: /* WV_BLSR */
		other = wv_num_binary(WV_SUB, width, a, &one);
		r = wv_num_binary(WV_AND, width, a, &other);
		cap = wv_num_range(0, a->umin ? a->umax - 1 : a->umax);
		break;
	}
	struct wv_num both = r;
	return wv_num_meet(&both, &cap) ? both : r;
}

struct wv_num wv_num_bzhi(unsigned width, const struct wv_num *a, const struct wv_num *index)
{
	struct wv_num n = wv_num_zext(index, 8);
	return wv_num_range(0, n.umax < width ? at_most(a->umax, ones_below(n.umax)) : a->umax);
}

struct wv_num wv_num_bextr(unsigned width, const struct wv_num *a, const struct wv_num *control)
{
	struct wv_num eight = wv_num_const(8), start = wv_num_zext(control, 8),
		      length = wv_num_shift(WV_SHR, 64, control, &eight);
	length = wv_num_zext(&length, 8);
	return wv_num_range(0, start.umin >= width ? 0 : at_most(a->umax >> start.umin, ones_below(length.umax)));
}

struct wv_num wv_num_pdep(unsigned width, const struct wv_num *mask)
{
	struct wv_num any = wv_num_any();
	return wv_num_binary(WV_AND, width, mask, &any);
}

struct wv_num wv_num_pext(unsigned width, const struct wv_num *mask)
{
	return wv_num_range(0, ones_below((uint64_t)__builtin_popcountll(possible_bits(width, mask))));
}

struct wv_num wv_num_bit(unsigned width, const struct wv_num *index)
{
	struct wv_num mask = wv_num_const(width - 1), one = wv_num_const(1),
		      n = wv_num_binary(WV_AND, 64, index, &mask);
	return wv_num_shift(WV_SHL, width, &one, &n);
}
