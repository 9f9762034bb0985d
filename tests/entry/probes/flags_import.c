/* SPDX-License-Identifier: Apache-2.0 */
/* Imports clear, search and compare by string instructions. The state is that of test_flags.c. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	uint64_t quiet, entries, returns, points, throws, sum, length, match;
	char text[16];
};

WARD_ENTRY("flags!f_work")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->entries++;
	st->length = ward_read_str(st->text, sizeof(st->text), ev->arg[1]);
	st->match += ward_match("a string", 9, ev->arg[1]);
}
