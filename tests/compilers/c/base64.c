/* tight: 24 bytes to 32 characters */
#include "event.h"

struct state {
	u8 in[24];
	char out[32];
};
static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 i = 0, o = 0; i < 24; i += 3, o += 4) {
		u32 v = st->in[i] << 16 | st->in[i + 1] << 8 | st->in[i + 2];
		st->out[o] = digits[v >> 18];
		st->out[o + 1] = digits[v >> 12 & 63];
		st->out[o + 2] = digits[v >> 6 & 63];
		st->out[o + 3] = digits[v & 63];
	}
}
