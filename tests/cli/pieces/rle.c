/* SPDX-License-Identifier: Apache-2.0 */
/* Run lengths (PackBits): a count, and a byte that is repeated or bytes that are copied. */
/* worst: \201a */
/* worst: \377a */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	unsigned char out[8192];
	uint32_t length;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0, o = 0;

	while (i + 1 < n) {
		unsigned char c = in[i++];

		if (c < 128) {
			for (unsigned k = 0; k <= c && i < n && o < sizeof st->out; k++)
				st->out[o++] = in[i++];
		} else if (c > 128) {
			for (unsigned k = 0; k < 257u - c && o < sizeof st->out; k++)
				st->out[o++] = in[i];
			i++;
		}
	}
	st->length = o;
}
