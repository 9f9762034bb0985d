/* SPDX-License-Identifier: Apache-2.0 */
/* Entries and returns, by probes that copy, fill and compare many bytes, also at odd addresses. */
#include "each.h"
#include <string.h>

struct bytes {
	char before;
	char text[300];
	unsigned long word;
} __attribute__((packed));

static inline void bytes(const struct ward_event *ev, struct function *f)
{
	unsigned long x = ev->arg[0], n = x >> 16 & 127, back;
	struct bytes b;

	memset(&b, 0, sizeof(b));
	b.word = x;
	memcpy(b.text + n, &x, sizeof(x));
	memmove(b.text + n + 1, b.text + n, 8);
	memcpy(&back, b.text + n + 1, sizeof(back));
	f->odd += back != x || b.word != x || b.text[299] || memcmp(b.text + n + 1, &x, 8) != 0;
}

#define PROBE(k) \
	WARD_ENTRY(SITE(k)) void entry_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].calls++; \
		st->f[k].args += ev->arg[0]; \
		bytes(ev, &st->f[k]); \
	} \
	WARD_ENTRY(SITE(k) ":return") void return_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		pair(ev, &st->f[k], k); \
		bytes(ev, &st->f[k]); \
	}
EACH(PROBE)
