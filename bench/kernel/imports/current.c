/* SPDX-License-Identifier: Apache-2.0 */
/* Reads LENGTH bytes of the description of the running task. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count none;
	WARD_PRIVATE(char bytes[1024];);
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	ward_kernel_current((struct ward_current *)st->bytes, LENGTH);
}
