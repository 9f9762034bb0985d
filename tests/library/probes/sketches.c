/* SPDX-License-Identifier: Apache-2.0 */
/* Sketches: arg[0] is the key. */
#include <ward/probe.h>

struct pair {
	unsigned long a;
	unsigned int b, c;
};

struct ward_state {
	WARD_HLL(4) least;
	WARD_HLL(12) hll;
	WARD_HLL(10) pairs;
	WARD_TOP(unsigned long, 32) top;
	WARD_TOP(struct pair, 16) top_pairs;
	WARD_CHOPSTIX(unsigned long, 1024, 4096) chopstix;
	ward_count sampled;
};

WARD_ENTRY("target!work")
void on_key(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long k = ev->arg[0];
	struct pair pair = {.a = k / 3, .b = (unsigned)(k % 3), .c = 7};

	ward_hll_add(&st->least, k);
	ward_hll_add(&st->hll, k);
	ward_hll_add(&st->pairs, pair);
	ward_top_add(&st->top, k, 1);
	ward_top_add(&st->top_pairs, pair, ev->arg[1] & 3);
	st->sampled += ward_chopstix_add(&st->chopstix, k) != 0;
}
