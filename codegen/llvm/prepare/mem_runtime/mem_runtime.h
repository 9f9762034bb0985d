/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What copies, fills, compares and searches of memory become where they aren't expanded inline: dialect code that
 * ../memory.c links into the module. It is inlined, optimised, guarded and verified there like the author's code.
 *
 * Whatever the size, the code reaches for the end first. If a size can't be proven to fit, that access gets the
 * guard, and the guard bounds the loop that comes after it. So there is one check for a call and none for a step.
 * opaque() makes both one value that the optimiser can't take apart. Sizes pass through it as well, because what is
 * known of them is known of a register.
 */
#ifndef WARD_LLVM_MEM_RUNTIME_H
#define WARD_LLVM_MEM_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

enum { STEP = sizeof(uint64_t) };

typedef uint64_t step_type __attribute__((aligned(1), may_alias));
typedef uint32_t half_type __attribute__((aligned(1), may_alias));

#define FORM __attribute__((visibility("default")))

static inline uint64_t get_step(const unsigned char *p)
{
	return *(const step_type *)p;
}

static inline void put_step(unsigned char *p, uint64_t v)
{
	*(step_type *)p = v;
}

static inline uint32_t get_half(const unsigned char *p)
{
	return *(const half_type *)p;
}

static inline void put_half(unsigned char *p, uint32_t v)
{
	*(half_type *)p = v;
}

static inline size_t opaque(size_t n)
{
	if (!__builtin_constant_p(n))
		__asm__("" : "+r"(n));
	return n;
}

/* memcpy: no byte of the one is a byte of the other. */
FORM void ward_form_copy(unsigned char *to, const unsigned char *from, size_t n);
/* memmove: they may overlap. */
FORM void ward_form_move(unsigned char *to, const unsigned char *from, size_t n);
/* memset */
FORM void ward_form_fill(unsigned char *to, int byte, size_t n);
/* memcmp */
FORM int ward_form_compare(const unsigned char *a, const unsigned char *b, size_t n);
/*
 * The first `byte` among n, of which not all need be there: those that are surely there are `room`. n if there is none.
 * strlen, strnlen, memchr.
 */
FORM size_t ward_form_scan(const unsigned char *s, int byte, size_t n, size_t room);
/* strchr, as an index; n if there is none before the zero byte. */
FORM size_t ward_form_find(const unsigned char *s, int byte, size_t n);
/* strrchr, likewise. */
FORM size_t ward_form_last(const unsigned char *s, int byte, size_t n);
/* strncmp */
FORM int ward_form_order(const unsigned char *a, const unsigned char *b, size_t n);

#endif
