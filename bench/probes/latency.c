/* SPDX-License-Identifier: Apache-2.0 */
/* How long calls take, in a histogram by powers of two. */
#include <ward/probe.h>

struct ward_state {
	ward_log2 cycles;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_log2_add(&st->cycles, ev->elapsed);
}
