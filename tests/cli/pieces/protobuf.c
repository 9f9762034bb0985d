/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of protobuf by their wire types. */
/* worst: \010\001 */
/* worst: \012\000 */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t fields[8], sum, bad;
};

static int varint(const unsigned char *in, size_t n, size_t *at, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (*at >= n)
			return 0;
		*v |= (uint64_t)(in[*at] & 127) << shift;
		if (!(in[(*at)++] & 128))
			return 1;
	}
	return 0;
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	size_t i = 0;
	uint64_t key, v;

	while (i < n) {
		if (!varint(st->in, n, &i, &key)) {
			st->bad++;
			return;
		}
		switch (key & 7) {
		case 0:
			if (!varint(st->in, n, &i, &v))
				return;
			st->sum += v;
			break;
		case 1: i += 8; break;
		case 2:
			if (!varint(st->in, n, &i, &v) || v > n - i)
				return;
			i += v;
			break;
		case 5: i += 4; break;
		default: st->bad++; return;
		}
		st->fields[key & 7]++;
	}
}
