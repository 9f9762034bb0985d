/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's memory at an offset, as a probe does that was compiled with one kernel's types. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = 0;

	ward_kernel_read(&x, sizeof(x), ev->arg[0] + 0x40);
	st->calls += x ? 1 : 2;
}
