/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * From frame to frame of a process's stack: by the row that describes the code at each address (struct ward_k_row), or
 * by frame pointers where none does. It is the walk of libward (loader/sample/walk_copy.c), once more for the kernel.
 *
 * The rows and the stack are whatever somebody has made of them. Each word is read by a function that never faults.
 * Each frame is above the one before. Only a signal's frame leads elsewhere, as handlers may have a stack of their own,
 * so the number of frames ends such a walk. What is searched has been checked when it was handed over: it is in order.
 *
 * Nothing here is the kernel's, so that a test can include it (tests/loader/test_kernel_walk.c). Who includes it has
 * WARD_USER_END, where a process's addresses end, and ward_word_read.
 */
#ifndef WARD_UNWIND_H
#define WARD_UNWIND_H

#include "ward_ioctl.h"

/* The rows of a file. */
struct ward_rows {
	const struct ward_k_row *v;
	__u32 n;
};

/* What a process has mapped, of which files. */
struct ward_places {
	const struct ward_k_place *v;
	const struct ward_rows *files;
	__u32 n;
};

struct ward_user_frame {
	__u64 ip, sp, bp;
	bool is_exact; /* ip is where it was interrupted, and no return address */
};

enum ward_step { WARD_GOES_ON, WARD_IS_WHOLE, WARD_IS_LOST };

enum { WARD_FRAME_MOST = 1 << 20 }; /* bytes of a frame that is found by its pointer */

/* A word of the process's memory; false: it isn't there, or can't be read now. */
static bool ward_word_read(__u64 at, __u64 *word);

/* ---- What is handed over ---- */

/* Is each behind the one before? */
static inline bool ward_rows_are_good(const struct ward_k_row *v, __u32 n)
{
	__u32 i;

	for (i = 1; i < n; i++)
		if (v[i].at <= v[i - 1].at)
			return false;
	return true;
}

/* Are they in order, none of them in another one, and each of one of so many files? */
static inline bool ward_places_are_good(const struct ward_k_place *v, __u32 n, __u32 n_files)
{
	__u64 behind = 0;
	__u32 i;

	for (i = 0; i < n; i++) {
		if (v[i].start < behind || v[i].end <= v[i].start || v[i].end > WARD_USER_END ||
			v[i].end - v[i].start > 0xffffffffu - v[i].skew || v[i].file >= n_files)
			return false;
		behind = v[i].end;
	}
	return true;
}

/* ---- Rules ---- */

/* The rule of the code at that address; WARD_K_RULE_NONE: nothing describes it. */
static inline __u32 ward_rule_at(const struct ward_places *places, __u64 address)
{
	const struct ward_k_place *place;
	const struct ward_rows *rows;
	__u32 lo = 0, hi = places->n, mid, at;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (places->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || address >= places->v[lo - 1].end)
		return WARD_K_RULE_NONE;
	place = &places->v[lo - 1];
	rows = &places->files[place->file];
	at = (__u32)(address - place->start) + place->skew;
	lo = 0;
	hi = rows->n;
	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (rows->v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? rows->v[lo - 1].rule : WARD_K_RULE_NONE;
}

/* ---- Steps ---- */

static inline enum ward_step ward_step_by_rbp(struct ward_user_frame *f)
{
	__u64 at = f->bp;

	if (!at)
		return WARD_IS_WHOLE;
	if (at < f->sp || at - f->sp > WARD_FRAME_MOST || !ward_word_read(at + 8, &f->ip) ||
		!ward_word_read(at, &f->bp))
		return WARD_IS_LOST;
	f->sp = at + 16;
	f->is_exact = false;
	return WARD_GOES_ON;
}

static inline enum ward_step ward_step_signal(struct ward_user_frame *f)
{
	__u64 at = f->sp;

	if (!ward_word_read(at + WARD_K_SIGNAL_RIP, &f->ip) || !ward_word_read(at + WARD_K_SIGNAL_RBP, &f->bp) ||
		!ward_word_read(at + WARD_K_SIGNAL_RSP, &f->sp))
		return WARD_IS_LOST;
	f->is_exact = true;
	return WARD_GOES_ON;
}

/* The address above the return address. */
static inline bool ward_cfa_find(const struct ward_user_frame *f, __u64 at, __u32 rule, __u64 *cfa)
{
	__s64 words = (__s32)rule >> WARD_K_RULE_WORDS_SHIFT;
	__u64 by = (__u64)words * 8;

	switch (rule & WARD_K_RULE_KIND) {
	case WARD_K_RULE_RSP: *cfa = f->sp + by; return true;
	case WARD_K_RULE_RBP: *cfa = f->bp + by; return true;
	case WARD_K_RULE_RBP_DEREF: return ward_word_read(f->bp + by, cfa);
	case WARD_K_RULE_RSP_DEREF:
		if (!ward_word_read(f->sp + by, cfa))
			return false;
		*cfa += 8;
		return true;
	default: *cfa = f->sp + ((__s64)(at & 15) >= words ? 16 : 8); return true; /* WARD_K_RULE_PLT */
	}
}

static inline enum ward_step ward_step_by_rule(struct ward_user_frame *f, __u64 at, __u32 rule)
{
	__u32 below = rule >> WARD_K_RULE_RBP_SHIFT & WARD_K_RULE_RBP_MASK;
	__u64 cfa, bp_at;

	if (!ward_cfa_find(f, at, rule, &cfa) || cfa < 8 || cfa - 8 < f->sp || !ward_word_read(cfa - 8, &f->ip))
		return WARD_IS_LOST;
	bp_at = below == WARD_K_RULE_RBP_AT_RBP ? f->bp : cfa - 8 * (__u64)below;
	/* else it has been popped already, which compilers don't mention */
	if (below && bp_at >= f->sp && !ward_word_read(bp_at, &f->bp))
		return WARD_IS_LOST;
	f->sp = cfa;
	f->is_exact = false;
	return WARD_GOES_ON;
}

/*
 * From a frame outwards: at most so many addresses, the frame's own first, and *n is how many. Returns how the stack
 * ends (enum ward_k_stack_end).
 */
static inline __u64 ward_walk_user(
	const struct ward_places *places, struct ward_user_frame f, __u64 *addresses, __u32 most, __u32 *n)
{
	enum ward_step step = WARD_GOES_ON;
	__u64 how = WARD_K_STACK_WHOLE;

	*n = 0;
	while (step == WARD_GOES_ON) {
		__u64 at = f.is_exact ? f.ip : f.ip - 1; /* a return address may be another function's beginning */
		__u32 rule = ward_rule_at(places, at), kind = rule & WARD_K_RULE_KIND;

		if (*n == most)
			return how | WARD_K_STACK_CUT;
		addresses[(*n)++] = f.ip | (__u64)f.is_exact << 63;
		if (kind == WARD_K_RULE_NONE) {
			how |= WARD_K_STACK_BY_RBP;
			step = ward_step_by_rbp(&f);
		} else if (kind == WARD_K_RULE_END) {
			step = WARD_IS_WHOLE;
		} else if (kind == WARD_K_RULE_SIGNAL) {
			step = ward_step_signal(&f);
		} else {
			step = ward_step_by_rule(&f, at, rule);
		}
		if (step == WARD_GOES_ON && !f.ip)
			step = WARD_IS_WHOLE;
		if (step == WARD_GOES_ON && f.ip >= WARD_USER_END)
			step = WARD_IS_LOST;
	}
	return step == WARD_IS_LOST ? how | WARD_K_STACK_LOST : how;
}

#endif
