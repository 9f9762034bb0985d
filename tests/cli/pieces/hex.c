/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal digits into bytes. */
/* worst: Ff */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	unsigned char out[2048];
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
	size_t i;

	for (i = 0; i + 2 <= n; i += 2) {
		int high = digit(st->in[i]), low = digit(st->in[i + 1]);

		if (high < 0 || low < 0)
			break;
		st->out[i / 2] = high << 4 | low;
	}
	st->length = i / 2;
}
