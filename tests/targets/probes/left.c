/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, rets, foreign;
};

#define PROBES(name) \
	WARD_ENTRY("prog!" #name) void enter_##name(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->calls += ev->arg[0] != 0; \
	} \
	WARD_ENTRY("prog!" #name ":return") void leave_##name(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->rets++; \
		st->foreign += ev->ret != ev->arg[0] * 3 + 1; \
	}
PROBES(odd)
PROBES(plain)
