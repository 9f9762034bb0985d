/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of each function of a program: its site's number is the index in the array. */
#include <ward/probe.h>

enum { SITES = 16384 };

struct ward_state {
	ward_count by_site[SITES];
};

WARD_ENTRY("*!*")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->by_site[ev->site % SITES]++;
}
