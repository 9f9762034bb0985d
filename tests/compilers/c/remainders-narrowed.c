/* remainders of 64 bits by constants, of which only 32 bits are computed */
#include "../event.h"

enum { LARGEST = 641 };

struct state {
	u64 a[LARGEST];
};

#define REMAINDER(d) \
	do { \
		u32 index = (u32)(*(const volatile u64 *)ev->arg % d); \
		__asm__("" : "+r"(index)); /* all bits of it */ \
		st->a[LARGEST - d + index]++; \
	} while (0)

void remainders_narrowed(const struct event *ev, struct state *st)
{
	REMAINDER(3); REMAINDER(5); REMAINDER(6); REMAINDER(7); REMAINDER(10); REMAINDER(12); REMAINDER(14); REMAINDER(19); REMAINDER(25); REMAINDER(28); REMAINDER(50); REMAINDER(60); REMAINDER(97); REMAINDER(100); REMAINDER(641);
}
