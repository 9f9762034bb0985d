/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract numbers: what is known of a 64-bit value. A number stands for the set of values that satisfy all views at
 * once:
 *
 *   umin ≤ x ≤ umax unsigned, smin ≤ x ≤ smax signed, the same two for the low 32 bits, (x & known) == bits, and
 *   x mod m == rem.
 *
 * A loop that ends by `!=` needs the remainder: a value that moves by 12 from 0 and is not 600 is at most 588.
 *
 * Invariant (wv_num_valid): every interval is non-empty, bits ⊆ known, rem < mod. Every function returns valid
 * numbers that contain every possible result ("sound"); soundness doesn't depend on how tight they are. wv_num_sync
 * narrows each view by what the others say. The product of intervals and known bits is the domain of the Linux BPF
 * verifier and of LLVM's KnownBits and ConstantRange; see Vishwanathan et al., CGO '22.
 */
#ifndef WARD_VERIFIER_NUM_H
#define WARD_VERIFIER_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "verifier/decode/insn.h"

struct wv_num {
	uint64_t umin, umax;
	int64_t smin, smax;
	uint32_t lumin, lumax; /* low 32 bits, unsigned */
	int32_t lsmin, lsmax;  /* low 32 bits, signed */
	uint64_t known, bits;  /* mask of the bits that are known, and their values */
	uint64_t mod, rem;     /* x % mod == rem, as an unsigned number; mod ≤ 1: nothing known */
};

/* Inline, for there are many. */
static inline struct wv_num wv_num_any(void)
{
	return (struct wv_num){0, UINT64_MAX, INT64_MIN, INT64_MAX, 0, UINT32_MAX, INT32_MIN, INT32_MAX, 0, 0, 1, 0};
}

static inline struct wv_num wv_num_const(uint64_t v)
{
	uint32_t low = (uint32_t)v;
	return (struct wv_num){v, v, (int64_t)v, (int64_t)v, low, low, (int32_t)low, (int32_t)low, UINT64_MAX, v, 1, 0};
}

struct wv_num wv_num_range(uint64_t min, uint64_t max); /* unsigned; min ≤ max */

bool wv_num_valid(const struct wv_num *n);
/*
 * Exactly one value is left. wv_num_sync leaves no number that is constant in only one order. A caller may still go
 * on with either order (a place in the stack is a signed number), so this tests both; soundness doesn't depend on
 * wv_num_sync here.
 */
static inline bool wv_num_is_const(const struct wv_num *n)
{
	return n->umin == n->umax && n->smin == (int64_t)n->umin;
}

/* Does the concrete value satisfy all that is claimed? */
bool wv_num_has(const struct wv_num *n, uint64_t value);
/* Is every value of `inner` a value of `outer`? May say no wrongly, never yes. */
bool wv_num_within(const struct wv_num *inner, const struct wv_num *outer);

/* Let each view tighten the others. False: no value satisfies all views (*n is then unspecified). */
bool wv_num_sync(struct wv_num *n);
/* Both are known to hold, each with its views tightened. False: they contradict each other. */
bool wv_num_meet(struct wv_num *n, const struct wv_num *other);
/* The same for the low 32 bits of `other` plus `add`. */
bool wv_num_meet_low(struct wv_num *n, const struct wv_num *other, uint32_t add);
/* One of them holds. */
struct wv_num wv_num_join(const struct wv_num *a, const struct wv_num *b);

/* The low `width` bits (8, 16, 32, 64), zero- or sign-extended. */
struct wv_num wv_num_zext(const struct wv_num *n, unsigned width);
struct wv_num wv_num_sext(const struct wv_num *n, unsigned width);
/*
 * The low `width` bits of `low` under the upper bits of `old`; at width 32 the upper bits become zero, as the processor
 * does it.
 */
struct wv_num wv_num_merge(const struct wv_num *old, const struct wv_num *low, unsigned width);

/*
 * Arithmetic modulo 2^width of two numbers of which only the low `width` bits count. The result is zero-extended. Ops:
 * WV_ADD, WV_SUB, WV_AND, WV_OR, WV_XOR, WV_IMUL (low half of the product).
 */
struct wv_num wv_num_binary(enum wv_op op, unsigned width, const struct wv_num *a, const struct wv_num *b);
/* Shifts: WV_SHL, WV_SHR, WV_SAR; `count` is masked to 6 bits at width 64, else 5. Rotates give any value. */
struct wv_num wv_num_shift(enum wv_op op, unsigned width, const struct wv_num *a, const struct wv_num *count);

/*
 * Assume `a cond b`, comparing their low `width` bits: narrows *a and *b. False: it can't be. Conditions: WV_B …
 * WV_A, WV_E, WV_NE, WV_L … WV_G; others narrow nothing.
 */
bool wv_num_assume(enum wv_cond cond, unsigned width, struct wv_num *a, struct wv_num *b);

#endif
