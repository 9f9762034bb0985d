/* tight: counts words and lines of 64 bytes */
#include "event.h"

struct state {
	u32 words, lines;
	char s[64];
};

void words(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 in = 0, words = 0, lines = 0;
	for (int i = 0; i < 64; i++) {
		char c = st->s[i];
		u32 space = c == ' ' || c == '\t' || c == '\n';
		words += !space & !in;
		lines += c == '\n';
		in = !space;
	}
	st->words += words;
	st->lines += lines;
}
