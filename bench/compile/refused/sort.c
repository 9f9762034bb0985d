/* SPDX-License-Identifier: Apache-2.0 */
/* Insertion into 16384 sorted numbers, for each of them. */
#include <ward/probe.h>

struct ward_state {
	ward_count runs;
	unsigned n, key[16384];
};

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	unsigned n = st->n < 16384 ? st->n : 16384;

	for (unsigned i = 1; i < n; i++) {
		unsigned key = st->key[i], k = i;

		for (; k > 0 && st->key[k - 1] > key; k--)
			st->key[k] = st->key[k - 1];
		st->key[k] = key;
	}
	st->runs++;
}
