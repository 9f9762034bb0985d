/* SPDX-License-Identifier: Apache-2.0 */
/* A name against a pattern with * and ?; a star that fails takes one more byte. */
/* worst: a, then *aaaaaaaaaaaaaaab */
/* worst: a, then *a*aaaaaaaaaaaaab */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	unsigned char pattern[32];
	uint64_t matches;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *s = st->in, *p = st->pattern;
	size_t i = 0, k = 0, star = sizeof st->pattern, from = 0;

	while (i < n) {
		if (k < sizeof st->pattern && p[k] == '*') {
			star = k++;
			from = i;
		} else if (k < sizeof st->pattern && p[k] && (p[k] == '?' || p[k] == s[i])) {
			k++;
			i++;
		} else if (star < sizeof st->pattern) {
			k = star + 1;
			i = ++from;
		} else {
			return;
		}
	}
	while (k < sizeof st->pattern && p[k] == '*')
		k++;
	if (k == sizeof st->pattern || p[k] == 0)
		st->matches++;
}
