/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram. */
#include <ward/probe.h>

struct ward_state {
	ward_log2 threads;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_log2_add(&st->threads, ev->tid);
}
