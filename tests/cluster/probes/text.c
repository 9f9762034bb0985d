/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are opened: keys that are texts of the process. */
#include <ward/imports.h>
#include <ward/probe.h>

struct path {
	char text[32];
};

struct ward_state {
	WARD_MAP(struct path, ward_count, 64) opens;
};

WARD_ENTRY("libc.so.6!open")
void on_open(const struct ward_event *ev, struct ward_state *st)
{
	struct path path = {0};

	ward_read_str(path.text, sizeof(path.text), ev->arg[0]);
	ward_map_add(&st->opens, path, 1);
}
