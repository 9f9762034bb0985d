/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of DER: tag, length and contents; what is constructed is entered. */
/* worst: \002\000 */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t elements, integers, bad;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *p = st->in, *end = p + n;

	while (end - p >= 2) {
		unsigned tag = *p++, length;

		if ((tag & 31) == 31) {
			while (p < end && (*p & 0x80))
				p++;
			if (p == end)
				break;
			p++;
		}
		if (p == end)
			break;
		length = *p++;
		if (length & 0x80) {
			unsigned bytes = length & 0x7f;

			if (bytes > 3 || end - p < bytes) {
				st->bad++;
				break;
			}
			for (length = 0; bytes; bytes--)
				length = length << 8 | *p++;
		}
		if (length > end - p) {
			st->bad++;
			break;
		}
		st->elements++;
		st->integers += tag == 2;
		if (!(tag & 0x20))
			p += length;
	}
}
