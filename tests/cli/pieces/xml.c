/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of XML with their attributes; comments are skipped. */
/* worst: <a b="c"> */
/* worst: <a> */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t opened, closed, attributes, comments, text;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0;

	while (i < n) {
		if (in[i] != '<') {
			i++;
			st->text++;
			continue;
		}
		i++;
		if (i + 3 <= n && in[i] == '!' && in[i + 1] == '-' && in[i + 2] == '-') {
			for (i += 3; i + 3 <= n; i++)
				if (in[i] == '-' && in[i + 1] == '-' && in[i + 2] == '>')
					break;
			i += 3;
			st->comments++;
			continue;
		}
		if (i < n && in[i] == '/')
			st->closed++;
		else
			st->opened++;
		while (i < n && in[i] != '>') {
			if (in[i] == '"' || in[i] == '\'') {
				unsigned char quote = in[i++];

				while (i < n && in[i] != quote)
					i++;
				st->attributes++;
			}
			i++;
		}
		i++;
	}
}
