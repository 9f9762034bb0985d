/* elements of odd sizes, which compilers find by shifts, sums and differences of the index */
#include "../event.h"

enum { LENGTH = 50 };

struct state {
	u8 a[LENGTH * 255];
};

/* The last byte of the last element is the last one of the array, by an index of 64 bits and one of 32. */
#define ELEMENT(n) \
	do { \
		struct element { u8 of[n]; } *end = (struct element *)(st->a + sizeof st->a - LENGTH * n); \
		u64 i = *(const volatile u64 *)ev->arg, j = *(const volatile u32 *)ev->arg; \
		if (i < LENGTH) \
			end[i].of[n - 1]++; \
		__asm__ volatile("" ::: "memory"); \
		if (j < LENGTH) \
			end[j].of[0]++; \
		__asm__ volatile("" ::: "memory"); \
	} while (0)

void elements(const struct event *ev, struct state *st)
{
	ELEMENT(6); ELEMENT(7); ELEMENT(10); ELEMENT(11); ELEMENT(13); ELEMENT(14); ELEMENT(15); ELEMENT(21); ELEMENT(22); ELEMENT(23); ELEMENT(28); ELEMENT(29); ELEMENT(30); ELEMENT(31);
	ELEMENT(35); ELEMENT(37); ELEMENT(39); ELEMENT(45); ELEMENT(47); ELEMENT(56); ELEMENT(57); ELEMENT(60); ELEMENT(61); ELEMENT(62); ELEMENT(63); ELEMENT(71); ELEMENT(75); ELEMENT(79); ELEMENT(93);
	ELEMENT(95); ELEMENT(112); ELEMENT(120); ELEMENT(121); ELEMENT(124); ELEMENT(125); ELEMENT(126); ELEMENT(127); ELEMENT(135); ELEMENT(240); ELEMENT(248); ELEMENT(254); ELEMENT(255);
}
