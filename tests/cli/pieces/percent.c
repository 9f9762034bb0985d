/* SPDX-License-Identifier: Apache-2.0 */
/* Percent signs of a URL decoded, in place. */
/* worst: % */
/* worst: %4g */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint32_t length;
};

static int digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	unsigned char *s = st->in;
	size_t i = 0, o = 0;

	while (i < n) {
		if (s[i] == '%' && i + 2 < n && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0) {
			s[o++] = digit(s[i + 1]) << 4 | digit(s[i + 2]);
			i += 3;
		} else {
			s[o++] = s[i] == '+' ? ' ' : s[i];
			i++;
		}
	}
	st->length = o;
}
