/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a function's caller is found at each address of a file's code, as .eh_frame or .debug_frame describe it. Rows
 * say it shortly enough to be searched inside a target. unwind_rows.c describes how they are made.
 *
 * A rule is one word:
 *
 *	bits 0 to 2    how the CFA is computed (the address above the return address): WL_UNWIND_NONE and so on
 *	bits 3 to 14   where the caller's rbp is: so many words below the CFA; 0: in rbp; or WL_UNWIND_RBP_AT_RBP
 *	bits 15 to 31  a signed number of words, for the CFA
 *
 * The return address is always right below the CFA. The constants are for assembly, too.
 */
#ifndef WARD_LOADER_UNWIND_ROWS_H
#define WARD_LOADER_UNWIND_ROWS_H

#define WL_UNWIND_NONE 0      /* no description, or one that no rule expresses */
#define WL_UNWIND_RSP 1       /* rsp + words */
#define WL_UNWIND_RBP 2       /* rbp + words */
#define WL_UNWIND_RBP_DEREF 3 /* what is at rbp + words: functions that align their stack */
#define WL_UNWIND_RSP_DEREF 4 /* what is at rsp + words, and 8 more: assembly that aligns its stack */
#define WL_UNWIND_SIGNAL 5    /* the kernel's frame of a signal handler is at rsp */
#define WL_UNWIND_PLT 6       /* rsp + 8, or + 16 where the address's last four bits are at least `words` */
#define WL_UNWIND_END 7       /* nothing has called this */

#define WL_UNWIND_KIND_MASK 7
#define WL_UNWIND_RBP_SHIFT 3
#define WL_UNWIND_RBP_MASK 4095
#define WL_UNWIND_RBP_AT_RBP 4095
#define WL_UNWIND_WORDS_SHIFT 15

/* In the kernel's frame of a signal handler (struct ucontext), from rsp after the handler has returned. */
#define WL_SIGNAL_RBP 120
#define WL_SIGNAL_RSP 160
#define WL_SIGNAL_RIP 168

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rule from `at` on, counted from the table's base, up to the next row. */
struct wl_unwind_row {
	uint32_t at, rule;
};

struct wl_unwind_rows {
	struct wl_unwind_row *v; /* in ascending order */
	size_t n;
};

/* The bytes of a section, and where it lies. Addresses are those of the file itself. */
struct wl_unwind_section {
	const uint8_t *p;
	size_t n;
	uint64_t address;
	bool is_debug_frame;
};

/*
 * Make the rows of a section, for code at `base` and within 4 GiB above. Returns 0 or ENOMEM; what is broken is left
 * out. Time and memory are in proportion to the section's size.
 */
int wl_unwind_read(const struct wl_unwind_section *section, uint64_t base, struct wl_unwind_rows *out);
void wl_unwind_free(struct wl_unwind_rows *rows);

/* Those of `first`, and where it says nothing those of `second`. Returns 0 or ENOMEM. */
int wl_unwind_merge(
	const struct wl_unwind_rows *first, const struct wl_unwind_rows *second, struct wl_unwind_rows *out);

/* The rule at so many bytes above the base. */
uint32_t wl_unwind_find(const struct wl_unwind_rows *rows, uint64_t at);

#endif
#endif
