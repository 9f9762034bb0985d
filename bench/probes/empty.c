/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing: what it takes to get to a probe and back. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	(void)st;
}
