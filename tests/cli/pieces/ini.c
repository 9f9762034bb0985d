/* SPDX-License-Identifier: Apache-2.0 */
/* A file of sections, keys and values: the value of one key. */
/* worst: \n */
#include <string.h>
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	char value[64];
	uint64_t sections, keys, found;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *p = st->in, *end = p + n;

	while (p < end) {
		const unsigned char *line = p, *stop, *equals;

		while (p < end && *p != '\n')
			p++;
		stop = p;
		if (p < end)
			p++;
		while (line < stop && (*line == ' ' || *line == '\t'))
			line++;
		if (line == stop || *line == ';' || *line == '#')
			continue;
		if (*line == '[') {
			st->sections++;
			continue;
		}
		for (equals = line; equals < stop && *equals != '='; equals++)
			;
		st->keys++;
		if (equals < stop && equals - line == 4 && !memcmp(line, "port", 4)) {
			size_t length = stop - equals - 1;

			if (length > sizeof st->value - 1)
				length = sizeof st->value - 1;
			memcpy(st->value, equals + 1, length);
			st->value[length] = 0;
			st->found++;
		}
	}
}
