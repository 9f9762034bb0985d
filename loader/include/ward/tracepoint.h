/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward/tracepoint.h: static tracepoints for programs, in C11 and C++11. Nothing is linked with it.
 *
 *	#include <ward/tracepoint.h>
 *
 *	WARD_TRACEPOINT(shop, order, id, price, name);
 *
 * says that something of interest happens here, and which values belong to it: up to six arguments, each an integer,
 * an enumeration, a bool or a pointer. A probe sees them:
 *
 *	WARD_ENTRY("myprogram!:shop:order")
 *	void on_order(const struct ward_event *ev, struct ward_state *st)   // ev->arg[0] is id, ev->arg[1] price …
 *
 * Without a probe a tracepoint costs one nop. The arguments stay where the compiler has them anyway, in registers,
 * memory or constants, and a note that isn't loaded says where. Their values are computed even without a probe; see
 * below. The nop has five bytes, as a probe's jump, so no instruction beside it needs to move.
 *
 * The notes are those of SystemTap's sys/sdt.h (owner stapsdt, version 3). So bpftrace, perf, gdb, SystemTap and
 * readelf -n see these tracepoints, too.
 *
 * If the tracepoint has a semaphore, its arguments are computed only while a tracer uses it. That is for arguments
 * that are expensive:
 *
 *	WARD_TRACEPOINT_SEMAPHORE(shop, invoice);                        // once in the program, outside of functions
 *
 *	WARD_TRACEPOINT_IF_USED(shop, invoice, id, total_of(order));     // here, or in any file that has
 *	WARD_TRACEPOINT_SEMAPHORE_DECLARE(shop, invoice);                // this
 *
 * Then it costs a comparison and a branch that isn't taken. Each tracer increments the semaphore while it uses the
 * tracepoint.
 *
 * Provider and name are C identifiers; DTrace reads two underscores in a row as a dash. On other processors than
 * x86-64 a tracepoint generates no code, and its arguments aren't evaluated.
 */
#ifndef WARD_TRACEPOINT_H
#define WARD_TRACEPOINT_H

/* Provider, name, and up to six arguments. */
#define WARD_TRACEPOINT(...) WARD_TP_PLACE("0", __VA_ARGS__)
#define WARD_TRACEPOINT_IF_USED(...) \
	WARD_TP_IF(WARD_TP_SEMAPHORE(__VA_ARGS__, _), WARD_TP_SEMAPHORE_TEXT(__VA_ARGS__, _), __VA_ARGS__)

#ifdef __cplusplus
#define WARD_TRACEPOINT_SEMAPHORE_DECLARE(provider, name) \
	extern "C" __attribute__((visibility("hidden"))) unsigned short provider##_##name##_semaphore
#else
#define WARD_TRACEPOINT_SEMAPHORE_DECLARE(provider, name) \
	extern __attribute__((visibility("hidden"))) unsigned short provider##_##name##_semaphore
#endif
#define WARD_TRACEPOINT_SEMAPHORE(provider, name) \
	WARD_TRACEPOINT_SEMAPHORE_DECLARE(provider, name); \
	__attribute__((section(".probes"), used)) unsigned short provider##_##name##_semaphore

/* ---- how ---- */

#if !defined(__x86_64__) || defined(__ILP32__)
#define WARD_TP_PLACE(...) ((void)0)
#define WARD_TP_IF(...) ((void)0)
#else

#define WARD_TP_SEMAPHORE(provider, name, ...) provider##_##name##_semaphore
#define WARD_TP_SEMAPHORE_TEXT(provider, name, ...) #provider "_" #name "_semaphore"
#define WARD_TP_IF(semaphore, text, ...) \
	do { \
		if (__builtin_expect(*(volatile unsigned short *)&semaphore, 0)) \
			WARD_TP_PLACE(text, __VA_ARGS__); \
	} while (0)

/*
 * Type of an argument as it is passed on: arrays and functions are pointers. Anything else than an integer of up to 8
 * bytes or a pointer is an error.
 */
#ifdef __cplusplus
extern "C++" {
template <class T> T ward_tp_value(T);
template <class T, bool is_enum = __is_enum(T)> struct ward_tp_type {
	/* no fractions */
	static constexpr bool is_signed = T(-1) < T(1), good = T(3) / T(2) * T(2) != T(3) && sizeof(T) <= 8;
};
template <class T> struct ward_tp_type<T, true> {
	static constexpr bool is_signed = T(-1) < T(1), good = true;
};
template <class T> struct ward_tp_type<T *, false> {
	static constexpr bool is_signed = false, good = true;
};
template <> struct ward_tp_type<bool, false> {
	static constexpr bool is_signed = false, good = true;
};
}
#define WARD_TP_TYPE(x) __typeof__(ward_tp_value(x))
#define WARD_TP_SIGNED(x) ward_tp_type<WARD_TP_TYPE(x)>::is_signed
#define WARD_TP_CHECK(x) \
	static_assert(ward_tp_type<WARD_TP_TYPE(x)>::good, "a tracepoint's arguments are integers or pointers")
#else
#define WARD_TP_TYPE(x) __typeof__(__builtin_choose_expr(__builtin_classify_type(x) == 5 /* a pointer */, 0ul, (x)))
#define WARD_TP_SIGNED(x) ((WARD_TP_TYPE(x)) - 1 < (WARD_TP_TYPE(x))1)
#define WARD_TP_CHECK(x) \
	_Static_assert( \
		__builtin_classify_type(x) >= 0 && __builtin_classify_type(x) <= 5 && sizeof(WARD_TP_TYPE(x)) <= 8, \
		"a tracepoint's arguments are integers or pointers")
#endif

/*
 * An argument's two operands: its size, negative if it is signed, and itself. clang would store what may be in memory,
 * so it is asked for registers or constants.
 */
#ifdef __clang__
#define WARD_TP_WHERE "nr"
#else
#define WARD_TP_WHERE "nor"
#endif
#define WARD_TP_IN(i, x) \
	[s##i] "n"((WARD_TP_SIGNED(x) ? -1 : 1) * (int)sizeof(WARD_TP_TYPE(x))), [a##i] WARD_TP_WHERE(x)
#define WARD_TP_TEXT(i) "%c[s" #i "]@%[a" #i "]"

/* The nop and its note; text: the arguments' places. */
#define WARD_TP_ASM(provider, name, semaphore, text) \
	"990:	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00\n" \
	"	.pushsection .note.stapsdt, \"?\", \"note\"\n" \
	"	.balign	4\n" \
	"	.4byte	8, 992f - 991f, 3\n" \
	"	.asciz	\"stapsdt\"\n" \
	"991:	.8byte	990b, _.stapsdt.base, " semaphore "\n" \
	"	.asciz	\"" #provider "\", \"" #name "\"\n" \
	"	.asciz	\"" text "\"\n" \
	"992:	.balign	4\n" \
	"	.popsection\n" \
	"	.ifndef	_.stapsdt.base\n" \
	"	.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
	"	.weak	_.stapsdt.base\n" \
	"	.hidden	_.stapsdt.base\n" \
	"_.stapsdt.base:	.space 1\n" \
	"	.size	_.stapsdt.base, 1\n" \
	"	.popsection\n" \
	"	.endif\n"

/* Which of them it is: by the number of arguments, two of which are the provider and the name. */
#define WARD_TP_PLACE(semaphore, ...) \
	WARD_TP_PICK(__VA_ARGS__, WARD_TP_6, WARD_TP_5, WARD_TP_4, WARD_TP_3, WARD_TP_2, WARD_TP_1, WARD_TP_0, _)( \
		semaphore, __VA_ARGS__)
#define WARD_TP_PICK(provider, name, a, b, c, d, e, f, which, ...) which

#define WARD_TP_0(s, p, n) \
	do { \
		__asm__ volatile(WARD_TP_ASM(p, n, s, "")); \
	} while (0)
#define WARD_TP_1(s, p, n, a) \
	do { \
		WARD_TP_CHECK(a); \
		__asm__ volatile(WARD_TP_ASM(p, n, s, WARD_TP_TEXT(1)) : : WARD_TP_IN(1, a)); \
	} while (0)
#define WARD_TP_2(s, p, n, a, b) \
	do { \
		WARD_TP_CHECK(a); \
		WARD_TP_CHECK(b); \
		__asm__ volatile(WARD_TP_ASM(p, n, s, WARD_TP_TEXT(1) " " WARD_TP_TEXT(2)) \
			: \
			: WARD_TP_IN(1, a), WARD_TP_IN(2, b)); \
	} while (0)
#define WARD_TP_3(s, p, n, a, b, c) \
	do { \
		WARD_TP_CHECK(a); \
		WARD_TP_CHECK(b); \
		WARD_TP_CHECK(c); \
		__asm__ volatile(WARD_TP_ASM(p, n, s, WARD_TP_TEXT(1) " " WARD_TP_TEXT(2) " " WARD_TP_TEXT(3)) \
			: \
			: WARD_TP_IN(1, a), WARD_TP_IN(2, b), WARD_TP_IN(3, c)); \
	} while (0)
#define WARD_TP_4(s, p, n, a, b, c, d) \
	do { \
		WARD_TP_CHECK(a); \
		WARD_TP_CHECK(b); \
		WARD_TP_CHECK(c); \
		WARD_TP_CHECK(d); \
		__asm__ volatile(WARD_TP_ASM( \
			p, n, s, WARD_TP_TEXT(1) " " WARD_TP_TEXT(2) " " WARD_TP_TEXT(3) " " WARD_TP_TEXT(4)) \
			: \
			: WARD_TP_IN(1, a), WARD_TP_IN(2, b), WARD_TP_IN(3, c), WARD_TP_IN(4, d)); \
	} while (0)
#define WARD_TP_5(s, p, n, a, b, c, d, e) \
	do { \
		WARD_TP_CHECK(a); \
		WARD_TP_CHECK(b); \
		WARD_TP_CHECK(c); \
		WARD_TP_CHECK(d); \
		WARD_TP_CHECK(e); \
		__asm__ volatile(WARD_TP_ASM(p, n, s, \
			WARD_TP_TEXT(1) " " WARD_TP_TEXT(2) " " WARD_TP_TEXT(3) " " WARD_TP_TEXT(4) " " WARD_TP_TEXT( \
				5)) \
			: \
			: WARD_TP_IN(1, a), WARD_TP_IN(2, b), WARD_TP_IN(3, c), WARD_TP_IN(4, d), WARD_TP_IN(5, e)); \
	} while (0)
#define WARD_TP_6(s, p, n, a, b, c, d, e, f) \
	do { \
		WARD_TP_CHECK(a); \
		WARD_TP_CHECK(b); \
		WARD_TP_CHECK(c); \
		WARD_TP_CHECK(d); \
		WARD_TP_CHECK(e); \
		WARD_TP_CHECK(f); \
		__asm__ volatile(WARD_TP_ASM(p, n, s, \
			WARD_TP_TEXT(1) " " WARD_TP_TEXT(2) " " WARD_TP_TEXT(3) " " WARD_TP_TEXT(4) " " WARD_TP_TEXT( \
				5) " " WARD_TP_TEXT(6)) \
			: \
			: WARD_TP_IN(1, a), WARD_TP_IN(2, b), WARD_TP_IN(3, c), WARD_TP_IN(4, d), WARD_TP_IN(5, e), \
			WARD_TP_IN(6, f)); \
	} while (0)

#endif

#endif
