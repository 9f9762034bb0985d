/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 into bytes; white space is skipped. */
/* worst: +/+/ */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	unsigned char out[3072];
	uint32_t length;
};

static int value_of(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	uint32_t bits = 0, held = 0;
	size_t o = 0;

	for (size_t i = 0; i < n && st->in[i] != '='; i++) {
		int v = value_of(st->in[i]);

		if (v < 0)
			continue;
		bits = bits << 6 | v;
		held += 6;
		if (held >= 8) {
			held -= 8;
			if (o == sizeof st->out)
				break;
			st->out[o++] = bits >> held;
		}
	}
	st->length = o;
}
