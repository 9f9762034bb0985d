/* SPDX-License-Identifier: Apache-2.0 */
/* All ends of a call. */
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
	} \
	WARD_ENTRY(SITE(k) ":throw") void throw_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].throws++; \
		st->f[k].foreign += (ev->arg[0] & NUMBER) != k; \
	}
EACH(PROBE)
