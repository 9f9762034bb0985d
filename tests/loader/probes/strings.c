/* SPDX-License-Identifier: Apache-2.0 */
/* What the imports return for addresses of all kinds. test_imports.c has the same state. */
#include <ward/imports.h>
#include <ward/probe.h>

struct seen {
	uint64_t times, length, whole, match, clock;
	char text[64];
	char bytes[16];
};

struct ward_state {
	struct seen seen[16];
};

WARD_ENTRY("target!use_string")
void on_string(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t i = ev->arg[1];
	struct seen *s;

	if (i >= 16)
		return;
	s = &st->seen[i];
	s->times++;
	s->length = ward_read_str(s->text, sizeof(s->text), ev->arg[0]);
	s->whole = ward_read(s->bytes, sizeof(s->bytes), ev->arg[0]);
	s->match = ward_match("hello", 5, ev->arg[0]);
	s->clock = ward_clock(WARD_CLOCK_MONOTONIC);
}
