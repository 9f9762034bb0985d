/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of syslog: priority, and the length of the message after the tag. */
/* worst: <\n */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t lines[8], bytes, bad;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0;

	while (i < n) {
		unsigned priority = 0, digits = 0;
		size_t message;

		if (in[i] == '<') {
			for (i++; i < n && in[i] >= '0' && in[i] <= '9' && digits < 3; i++, digits++)
				priority = priority * 10 + in[i] - '0';
			if (i < n && in[i] == '>' && digits)
				i++;
			else
				st->bad++;
		}
		while (i < n && in[i] != ':' && in[i] != '\n')
			i++;
		message = i;
		while (i < n && in[i] != '\n')
			i++;
		st->bytes += i - message;
		st->lines[priority & 7]++;
		i++;
	}
}
