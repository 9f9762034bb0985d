/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lines are typed into a bash?
 *
 *	ward trace -p PID --records probes/tools/bashreadline.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct line {
	unsigned long time;
	char text[120];
};

struct ward_state {
	WARD_QUEUE(struct line, 64) lines;
};

WARD_ENTRY("bash!readline:return")
void on_line(const struct ward_event *ev, struct ward_state *st)
{
	struct line line = {.time = ev->time};

	if (ev->ret && ward_read_str(line.text, sizeof(line.text), ev->ret))
		ward_queue_push(&st->lines, line);
}
