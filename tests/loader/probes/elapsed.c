/* SPDX-License-Identifier: Apache-2.0 */
/* How long a call took. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t elapsed;
};

WARD_ENTRY("states!work:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->elapsed += ev->elapsed;
}
