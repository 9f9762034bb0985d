/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DF and AC.
 *
 * A probe's facts say whether it needs the direction flag clear, or alignment checks off (spec/policy.md, "The entry
 * state"). Compilers keep DF clear at each call, and hardly any program checks alignment. But code written by hand
 * may have either flag set where a site is, and a program that searches for its own unaligned accesses has AC set all
 * the time. So stubs test both flags, and clear them while the probes run if one is set that the probes can't have.
 * pushf takes a few cycles, and popf ten times as many, so popf isn't on the path that is taken when neither is set.
 *
 *	        pushf
 *	        testl $CLEAR, (%rsp)
 *	        jne   is_set
 *	begun:  …                        ; the probes
 *	        testl $CLEAR, (%rsp)
 *	        jne   was_set
 *	        lea   8(%rsp), %rsp
 *	ended:  …
 *	is_set: push  (%rsp)
 *	        andl  $~CLEAR, (%rsp)
 *	        popf
 *	        jmp   begun
 *	was_set:
 *	        popf
 *	        jmp   ended
 *
 * A signal handler that runs meanwhile has AC clear, too, and ends with the flags that it began with. The kernel
 * clears DF for handlers anyway.
 */
#include "eflags.h"

#include "ward/verify.h"

uint32_t wl_eflags_for(uint32_t needs)
{
	uint32_t clear = 0;

	if (needs & WARD_NEED_DF_CLEAR)
		clear |= WL_FLAG_DF;
	if (needs & WARD_NEED_AC_CLEAR)
		clear |= WL_FLAG_AC;
	return clear;
}

/* testl $mask, (%rsp); jne …: returns where the jump is, to be bound. */
static size_t test_saved(struct wl_code *c, uint32_t mask)
{
	WL_EMIT(c, 0xf7, 0x04, 0x24);
	wl_u32(c, mask);
	return wl_jcc(c, WL_NE);
}

struct wl_eflags wl_eflags_begin(struct wl_code *c, uint32_t clear)
{
	struct wl_eflags e = {.clear = clear};

	if (!clear)
		return e;
	WL_EMIT(c, 0x9c); /* pushf */
	e.is_set = test_saved(c, clear);
	e.begun = wl_here(c);
	return e;
}

void wl_eflags_end(struct wl_code *c, struct wl_eflags *e)
{
	if (!e->clear)
		return;
	e->was_set = test_saved(c, e->clear);
	WL_EMIT(c, 0x48, 0x8d, 0x64, 0x24, 0x08); /* lea 8(%rsp), %rsp */
	e->ended = wl_here(c);
}

void wl_eflags_cold(struct wl_code *c, const struct wl_eflags *e)
{
	if (!e->clear)
		return;
	wl_bind(c, e->is_set);
	WL_EMIT(c, 0xff, 0x34, 0x24); /* push (%rsp) */
	WL_EMIT(c, 0x81, 0x24, 0x24); /* andl $~clear, (%rsp) */
	wl_u32(c, ~e->clear);
	WL_EMIT(c, 0x9d); /* popf */
	wl_jmp(c, e->begun);
	wl_bind(c, e->was_set);
	WL_EMIT(c, 0x9d);
	wl_jmp(c, e->ended);
}
