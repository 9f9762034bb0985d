/* SPDX-License-Identifier: Apache-2.0 */
/* Returns alone, with arguments and times. */
#include "each.h"

#define PROBE(k) \
	WARD_ENTRY(SITE(k) ":return") void return_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		pair(ev, &st->f[k], k); \
		timed(ev, &st->f[k]); \
	}
EACH(PROBE)
