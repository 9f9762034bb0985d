/* SPDX-License-Identifier: Apache-2.0 */
/* What debug information says was inlined at some addresses. Runs confined; inline_dwarf.c describes how it reads. */
#ifndef WARD_LOADER_INLINE_DWARF_H
#define WARD_LOADER_INLINE_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WL_INLINE_DEPTH = 64, /* functions in one another at one address; those further in are left out */
	WL_INLINE_TEXT = 4096,
	WL_INLINE_ADDRESSES = 1 << 16, /* of one question */
};

struct wl_inline_question {
	void *image; /* of the file */
	size_t size;
	const uint64_t *address; /* as the file has them, in ascending order, each once */
	size_t n;
};

/*
 * The answer is a sequence of these. A name has `n` bytes of text behind it; names are numbered as they come. A chain
 * is of address number `at`, and has the numbers of `n` names behind it, the outermost function first: each is inlined
 * in the one before it, the first one in the function that the address is in. The last part is an end.
 */
enum wl_inline_kind { WL_INLINE_NAME, WL_INLINE_CHAIN, WL_INLINE_END };
struct wl_inline_part {
	uint32_t kind, at, n;
};

/* A sandbox's work, of a struct wl_inline_question. */
bool wl_inline_answer(void *question, int fd);

#endif
