/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of a call. */
#include <ward/probe.h>

struct ward_state {
	ward_count entered, returned;
};

WARD_ENTRY("kernel!__x64_sys_getppid")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->entered++;
}

WARD_ENTRY("kernel!__x64_sys_getppid:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->returned++;
}
