/* characters by class: a switch over ranges, in a loop */
#include "event.h"

struct state {
	u32 letters, digits, spaces, signs, others, depth, deepest;
	u8 text[64];
};

void switch_classes(const struct event *ev, struct state *st)
{
	(void)ev;
	for (int i = 0; i < 64; i++) {
		switch (st->text[i]) {
		case 'a' ... 'z':
		case 'A' ... 'Z': st->letters++; break;
		case '0' ... '9': st->digits++; break;
		case ' ':
		case '\t':
		case '\n': st->spaces++; break;
		case '+':
		case '-':
		case '*':
		case '/': st->signs++; break;
		case '(':
			if (++st->depth > st->deepest)
				st->deepest = st->depth;
			break;
		case ')':
			if (st->depth)
				st->depth--;
			break;
		default: st->others++; break;
		}
	}
}
