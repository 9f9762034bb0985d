/* SPDX-License-Identifier: Apache-2.0 */
/* Two counts, each of many functions: they share getppid's, and each has others. */
#include <ward/probe.h>

struct ward_state {
	ward_count a, b;
};

WARD_ENTRY("kernel!__x64_sys_get*")
void on_get(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->a++;
}

WARD_ENTRY("kernel!__x64_sys_*id")
void on_id(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->b++;
}
