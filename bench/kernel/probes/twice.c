/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, by two probes of one function. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls, again;
};

WARD_ENTRY("kernel!__x64_sys_getppid")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
}

WARD_ENTRY("kernel!__x64_sys_getppid")
void on_call_again(const struct ward_event *ev, struct ward_state *st)
{
	st->again++;
}
