/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends, counted separately. */
#include "each.h"

#define PROBE(k) \
	WARD_ENTRY(SITE(k)) void entry_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].calls++; \
		st->f[k].args += ev->arg[0]; \
		st->f[k].foreign += (ev->arg[0] & NUMBER) != k; \
	} \
	WARD_ENTRY(SITE(k) ":return") void return_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].rets++; \
		if (ev->caller) \
			st->f[k].sums += ev->ret; \
	}
EACH(PROBE)
