/* SPDX-License-Identifier: Apache-2.0 */
/* The debug information of fixture.h. */
#include "fixture.h"

struct ward_state *on_event(const struct ward_event *ev, struct ward_state *st);
struct ward_state *on_event(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->arg[0];
	return st;
}
