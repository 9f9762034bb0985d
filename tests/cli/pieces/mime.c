/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of mail, unfolded: a line that starts with a space goes on with the line before. */
/* worst: a\n */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	unsigned char out[4096];
	uint32_t length, headers;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0, o = 0;

	st->headers = 0;
	while (i < n && in[i] != '\n') {
		for (;;) {
			while (i < n && in[i] != '\n') {
				if (in[i] != '\r')
					st->out[o++] = in[i];
				i++;
			}
			i++;
			if (i >= n || (in[i] != ' ' && in[i] != '\t'))
				break;
			while (i < n && (in[i] == ' ' || in[i] == '\t'))
				i++;
			if (o < sizeof st->out)
				st->out[o++] = ' ';
		}
		st->headers++;
	}
	st->length = o;
}
