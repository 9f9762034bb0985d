/* SPDX-License-Identifier: Apache-2.0 */
/* A name of DNS with its pointers, in the dotted form. */
/* worst: \001a */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	char name[256];
	uint32_t length, bad;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 12, o = 0;
	unsigned jumps = 0;

	while (i < n) {
		unsigned length = in[i++];

		if (length == 0)
			break;
		if (length >= 0xc0) {
			if (i >= n || ++jumps > 16) {
				st->bad++;
				return;
			}
			i = (length & 0x3f) << 8 | in[i];
			continue;
		}
		if (length > 63 || length > n - i || o + length + 1 > sizeof st->name) {
			st->bad++;
			return;
		}
		if (o)
			st->name[o++] = '.';
		for (unsigned k = 0; k < length; k++)
			st->name[o++] = in[i++];
	}
	st->length = o;
}
