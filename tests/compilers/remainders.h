/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders by constants, each of which the verifier must bound exactly: it indexes an array with as many bytes. */
#include "event.h"

struct state {
	u8 a[1000], b[977];
};

/* One after another, each of a number that is read anew: or their code is mixed. */
#define REMAINDER(d) \
	do { \
		number x = (number) * (const volatile given *)ev->arg; \
		u8 *end = st->a + 1000 - d; \
		__asm__("" : "+r"(end)); /* kept apart from the index */ \
		end[x % d]++; \
		__asm__ volatile("" ::: "memory"); \
	} while (0)

#define REMAINDERS_OF_BYTES \
	REMAINDER(3); \
	REMAINDER(5); \
	REMAINDER(6); \
	REMAINDER(7); \
	REMAINDER(9); \
	REMAINDER(10); \
	REMAINDER(11); \
	REMAINDER(12); \
	REMAINDER(13); \
	REMAINDER(14); \
	REMAINDER(15); \
	REMAINDER(19); \
	REMAINDER(21); \
	REMAINDER(24); \
	REMAINDER(25); \
	REMAINDER(28); \
	REMAINDER(60); \
	REMAINDER(97); \
	REMAINDER(100); \
	REMAINDER(127)

#define REMAINDERS \
	REMAINDERS_OF_BYTES; \
	REMAINDER(255); \
	REMAINDER(641); \
	REMAINDER(1000)

#define GREAT_REMAINDER \
	do { \
		number x = (number) * (const volatile given *)ev->arg; \
		u64 rest = x % 1000003; \
		__asm__("" : "+r"(rest)); /* all bits of it */ \
		st->b[rest / 1024]++; \
	} while (0)
