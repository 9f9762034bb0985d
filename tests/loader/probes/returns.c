/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what only a return site has. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY("target!work")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->ret;
}
