/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract numbers under the instructions that count bits and pick them out. Operands of `width` bits are given
 * zero-extended, results come zero-extended. Every result contains every possible one.
 */
#ifndef WARD_VERIFIER_BIT_COUNT_H
#define WARD_VERIFIER_BIT_COUNT_H

#include "num.h"

/*
 * How many bits are set; how many zeros stand above the highest set bit, and below the lowest (both `width` for zero).
 */
struct wv_num wv_num_popcnt(unsigned width, const struct wv_num *a);
struct wv_num wv_num_lzcnt(unsigned width, const struct wv_num *a);
struct wv_num wv_num_tzcnt(unsigned width, const struct wv_num *a);
/* Position of the highest set bit of a number that is not zero. */
struct wv_num wv_num_top(unsigned width, const struct wv_num *a);

/* WV_BLSI: the lowest set bit alone; WV_BLSMSK: the bits up to it (of zero all); WV_BLSR: all bits but it. */
struct wv_num wv_num_lowest(enum wv_op op, unsigned width, const struct wv_num *a);

/* The lowest bits of `a`, as many as the low byte of `index` says. */
struct wv_num wv_num_bzhi(unsigned width, const struct wv_num *a, const struct wv_num *index);
/* Bits of `a` from where the low byte of `control` says, as many as its second byte says. */
struct wv_num wv_num_bextr(unsigned width, const struct wv_num *a, const struct wv_num *control);
/* Bits of `a` put at the places of the mask, or gathered from there: */
struct wv_num wv_num_pdep(unsigned width, const struct wv_num *mask);
struct wv_num wv_num_pext(unsigned width, const struct wv_num *mask);

/* The bit that `index` names modulo `width`, alone. */
struct wv_num wv_num_bit(unsigned width, const struct wv_num *index);

#endif
