/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information of what threads share (test_shared.c). */
#include "ward/probe.h"

struct ward_state {
	ward_count calls;
};

struct wide {
	unsigned long a;
	int b;
};

WARD_SHARED(ward_shared_count open; WARD_SHARED_MAP(unsigned long, unsigned long, 64) begun;
	WARD_SHARED_MAP(unsigned int, struct wide, 8) wide; ward_log2 spoilt;);

struct ward_state *on_event(const struct ward_event *ev, struct ward_state *st);
struct ward_state *on_event(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->arg[0];
	ward_shared.open++;
	return st;
}
