/* SPDX-License-Identifier: Apache-2.0 */
/* Entries, and returns with the arguments of their calls. */
#include "each.h"

#define PROBE(k) \
	WARD_ENTRY(SITE(k)) void entry_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].calls++; \
		st->f[k].args += ev->arg[0]; \
	} \
	WARD_ENTRY(SITE(k) ":return") void return_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		pair(ev, &st->f[k], k); \
	}
EACH(PROBE)
