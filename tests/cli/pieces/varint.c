/* SPDX-License-Identifier: Apache-2.0 */
/* A list of LEB128 numbers. */
/* worst: \200 */
/* worst: \377\377\377\377\377\377\377\377\377\001 */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t number[512];
	uint32_t numbers;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *p = st->in, *end = p + n;
	uint32_t numbers = 0;

	while (p < end && numbers < 512) {
		uint64_t v = 0;
		unsigned shift = 0;

		while (p < end) {
			unsigned char c = *p++;

			if (shift < 64)
				v |= (uint64_t)(c & 127) << shift;
			shift += 7;
			if (!(c & 128))
				break;
		}
		st->number[numbers++] = v;
	}
	st->numbers = numbers;
}
