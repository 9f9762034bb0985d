/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of a tar archive: those whose checksum is right. */
/* worst: 7 */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t files, bytes, wrong;
};

static uint64_t octal(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		v = v << 3 | (p[i] - '0');
	return v;
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	size_t at = 0;

	while (at + 512 <= n) {
		const unsigned char *header = st->in + at;
		uint64_t size = octal(header + 124, 12), sum = 0;

		for (size_t i = 0; i < 512; i++)
			sum += i >= 148 && i < 156 ? ' ' : header[i];
		if (sum == octal(header + 148, 8)) {
			st->files++;
			st->bytes += size;
		} else {
			st->wrong++;
			size = 0;
		}
		if (size > n)
			break;
		at += 512 + (size + 511) / 512 * 512;
	}
}
