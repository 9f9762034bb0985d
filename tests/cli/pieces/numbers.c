/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers between white space and commas, with signs. */
/* worst: 1\040 */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	int64_t sum;
	uint64_t numbers, errors;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *p = st->in, *end = p + n;

	while (p < end) {
		int negative = 0;
		int64_t v = 0;

		while (p < end && (*p == ' ' || *p == ',' || *p == '\n'))
			p++;
		if (p < end && (*p == '-' || *p == '+'))
			negative = *p++ == '-';
		if (p == end)
			break;
		if (*p < '0' || *p > '9') {
			st->errors++;
			p++;
			continue;
		}
		do {
			v = (int64_t)((uint64_t)v * 10 + *p++ - '0');
		} while (p < end && *p >= '0' && *p <= '9');
		st->sum += negative ? -v : v;
		st->numbers++;
	}
}
