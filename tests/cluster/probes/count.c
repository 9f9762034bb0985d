/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, in one number. The order says of what. */
#include <ward/probe.h>

#ifndef STEP /* what a module for another build counts a call as, in the test of variants */
#define STEP 1
#endif

struct ward_state {
	ward_count calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->calls += STEP;
}
