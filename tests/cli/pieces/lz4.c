/* SPDX-License-Identifier: Apache-2.0 */
/* A block of LZ4. */
/* worst: \020a\001\000 */
#include <string.h>
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	unsigned char out[8192];
	uint32_t length;
};

static int block(struct ward_state *st, size_t n)
{
	const unsigned char *in = st->in;
	unsigned char *out = st->out;
	size_t i = 0, o = 0;

	while (i < n) {
		unsigned token = in[i++];
		size_t length = token >> 4;
		unsigned more, distance;

		if (length == 15)
			do {
				if (i >= n)
					return -1;
				more = in[i++];
				length += more;
			} while (more == 255);
		if (length > n - i || length > sizeof st->out - o)
			return -1;
		memcpy(out + o, in + i, length);
		i += length;
		o += length;
		if (i == n)
			break;
		if (n - i < 2)
			return -1;
		distance = in[i] | in[i + 1] << 8;
		i += 2;
		if (distance == 0 || distance > o)
			return -1;
		length = token & 15;
		if (length == 15)
			do {
				if (i >= n)
					return -1;
				more = in[i++];
				length += more;
			} while (more == 255);
		length += 4;
		if (length > sizeof st->out - o)
			return -1;
		for (; length; length--, o++)
			out[o] = out[o - distance];
	}
	return o;
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	st->length = block(st, n);
}
