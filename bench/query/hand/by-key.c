/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls[16];
};

WARD_ENTRY("ward-bench-target!traced_push")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls[ev->arg[0] & 15]++;
}
