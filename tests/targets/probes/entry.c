/* SPDX-License-Identifier: Apache-2.0 */
/* Entries alone. */
#include "each.h"

#define PROBE(k) \
	WARD_ENTRY(SITE(k)) void entry_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].calls++; \
		st->f[k].args += ev->arg[0]; \
	}
EACH(PROBE)
