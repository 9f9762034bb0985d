/* a needle of four in a haystack of 32 */
#include "event.h"

struct state {
	u32 at;
	char hay[32], needle[4];
};

void substring(const struct event *ev, struct state *st)
{
	(void)ev;
	for (u32 i = 0; i <= 28; i++) {
		u32 k = 0;
		while (k < 4 && st->hay[i + k] == st->needle[k])
			k++;
		if (k == 4) {
			st->at = i;
			return;
		}
	}
	st->at = ~0u;
}
