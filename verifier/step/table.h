/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in read-only data: the numbers in them, and the targets of jumps through them. */
#ifndef WARD_VERIFIER_TABLE_H
#define WARD_VERIFIER_TABLE_H

#include "verifier/domain/state.h"

/* The targets of a jump, one after another. */
struct wv_targets {
	const struct wv_module *module;
	struct wv_num at; /* offsets in rodata of the entries that the jump may have loaded */
	/* the offset to look at next, of those with the known low bits of `at`; past at.umax: none is left */
	uint64_t next;
	uint64_t stride; /* a power of two: offsets between are none of `at` */
	uint64_t base;   /* module address to which an entry is added */
	uint64_t entry;  /* offset of the entry that gave the last target */
};

/* The least and the greatest of some constants, as unsigned and as signed numbers. */
struct wv_constants {
	uint64_t umin, umax;
	int64_t smin, smax;
};

/*
 * Which constants the 1 to 8 bytes of rodata at one of the offsets `at` may be. The bytes lie within rodata and in no
 * slot. False: there are too many offsets, or only one.
 */
bool wv_table_constants(const struct wv_module *m, const struct wv_num *at, unsigned bytes, struct wv_constants *c);
/* One of them, sign-extended; zero-extended. */
struct wv_num wv_constants_signed(const struct wv_constants *c);
struct wv_num wv_constants_unsigned(const struct wv_constants *c, unsigned bytes);
/*
 * A 32-bit load from rodata, at one of the offsets `at` within it, gave `v`. The context remembers it until the next
 * such load in the block.
 */
void wv_table_loaded(struct wv_ctx *ctx, const struct wv_num *at, const struct wv_val *v);
/* `wide` is the sign extension to 64 bits of the low 32 of `v`. */
void wv_table_extended(struct wv_ctx *ctx, const struct wv_val *v, const struct wv_val *wide);

/* The targets of a jump to `v` (V-27). NULL, or why they aren't known, written to `why`. */
const char *wv_table_targets(
	const struct wv_ctx *ctx, const struct wv_val *v, struct wv_targets *t, char *why, size_t size);
/* How many offsets there are to look at. */
uint64_t wv_table_length(const struct wv_targets *t);
/* The next target, an address in the module; the same one may come more than once. False: that was the last. */
bool wv_table_next(struct wv_targets *t, uint64_t *target);

#endif
