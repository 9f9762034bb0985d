/* steps of one to four bytes, over a buffer with room behind */
#include "event.h"

struct state {
	u32 bad, n;
	u8 s[67];
};

void utf8(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 n = 0, bad = 0;
	for (u32 i = 0; i < 64; n++) {
		u8 c = st->s[i];
		u32 len = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		for (u32 k = 1; k < len; k++)
			bad += (st->s[i + k] & 0xc0) != 0x80;
		bad += len == 0;
		i += len ? len : 1;
	}
	st->n = n;
	st->bad = bad;
}
