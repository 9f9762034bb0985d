/* SPDX-License-Identifier: MIT-0 */
/*
 * ward/key.h: keys of any plain type, for maps and sketches. A key is an integer, or a struct of at most 64 bytes.
 *
 * Keys are compared byte by byte. The holes that a struct has for alignment are bytes, too, without a value of their
 * own. Fill them with a member of type ward_pad, or order the members so that there are none; otherwise one key may be
 * found twice. `ward cc` warns of keys with holes.
 *
 * Sizes are constants wherever these functions are inlined, so their loops and conditions disappear from the code.
 */
#ifndef WARD_KEY_H
#define WARD_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WARD_KEY_MAX 64

/* A byte that fills a hole: struct key { long address; int line; ward_pad pad[4]; }. Results don't show it. */
typedef char ward_pad;

/*
 * Is the type an array? No such thing can be assigned, or be a key. T is there once in each place: it may be a struct
 * without a name.
 */
#define WARD_IS_ARRAY(T) \
	(__builtin_classify_type(*(__typeof__(T) *)0) == 5 /* a pointer by now */ && \
		(sizeof(T) != sizeof(void *) || _Alignof(T) != _Alignof(void *)))

#define WARD_INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define WARD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define WARD_UNROLL
#endif

/*
 * A key that is the address of a text: two equal texts at different addresses are two keys, and what is shown is the
 * address. Where clang sees that, it says so.
 */
#ifdef __clang__
#define WARD_IF_TEXT(text) \
	__attribute__((diagnose_if(text, \
		"the key is the address of a text, not what the text says: a struct holds a text, struct name { char " \
		"text[16]; }, and ward_read_str fills it", \
		"warning")))
#else
#define WARD_IF_TEXT(text)
#endif

WARD_INLINE void ward_key_is_text(bool text) WARD_IF_TEXT(text);
WARD_INLINE void ward_key_is_text(bool text)
{
	(void)text;
}

#define WARD_KEY_CHECK(key) \
	ward_key_is_text(__builtin_types_compatible_p(__typeof__(key), const char *) || \
			 __builtin_types_compatible_p(__typeof__(key), char *))

/* 2^64/φ: an odd number whose multiples fall far from each other (Fibonacci hashing). */
#define WARD_GOLDEN 0x9e3779b97f4a7c15ul

/* The word of a key that starts at byte `at`, zeros behind its end. */
WARD_INLINE unsigned long ward_key_word(const void *key, size_t size, size_t at)
{
	const char *p = (const char *)key + at;
	unsigned long word = 0;
	unsigned shift = 0;

	if (size - at >= 8) {
		__builtin_memcpy(&word, p, 8);
		return word;
	}
	if (size & 4) {
		uint32_t part;

		__builtin_memcpy(&part, p, 4);
		word = part;
		p += 4;
		shift = 32;
	}
	if (size & 2) {
		uint16_t part;

		__builtin_memcpy(&part, p, 2);
		word |= (unsigned long)part << shift;
		p += 2;
		shift += 16;
	}
	if (size & 1)
		word |= (unsigned long)*(const unsigned char *)p << shift;
	return word;
}

WARD_INLINE bool ward_key_equal(const void *a, const void *b, size_t size)
{
	unsigned long differ = 0;

	WARD_UNROLL
	for (size_t at = 0; at < size; at += 8)
		differ |= ward_key_word(a, size, at) ^ ward_key_word(b, size, at);
	return differ == 0;
}

/* A key as one word: itself, if it has no more than 8 bytes. Not yet spread over the word's bits. */
WARD_INLINE unsigned long ward_key_fold(const void *key, size_t size)
{
	unsigned long word = ward_key_word(key, size, 0);

	WARD_UNROLL
	for (size_t at = 8; at < size; at += 8) {
		word *= WARD_GOLDEN;
		word = (word ^ word >> 29) + ward_key_word(key, size, at);
	}
	return word;
}

/* A hash in which every bit depends on every bit of the key: what sketches need. */
WARD_INLINE unsigned long ward_key_hash(const void *key, size_t size)
{
	unsigned long word = ward_key_fold(key, size) + WARD_GOLDEN;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ul;
	word = (word ^ word >> 27) * 0x94d049bb133111ebul;
	return word ^ word >> 31;
}

/* Make `size` bytes zero; a loop, as the sizes of values can be anything. */
WARD_INLINE void ward_key_clear(void *to, size_t size)
{
	char *p = to;

	for (size_t at = 0; at < size; at++)
		p[at] = 0;
}

#endif
