/* SPDX-License-Identifier: Apache-2.0 */
/* Reads LENGTH bytes, by READ, at the address that a call is given. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count none;
	WARD_PRIVATE(char bytes[1024];);
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	READ(st->bytes, LENGTH, ev->arg[0]);
}
