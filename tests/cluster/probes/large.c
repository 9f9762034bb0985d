/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are too long to be sent. The order says of what. */
#include <ward/probe.h>

struct page {
	char text[70000];
};

struct ward_state {
	ward_count calls;
	WARD_RING(struct page, 2) pages;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls++;
}
