/* SPDX-License-Identifier: Apache-2.0 */
/* The request line of HTTP, and its headers. */
/* worst: :\n */
/* worst: \n\040 */
/* worst: A: b\r\n */
#include <string.h>
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint32_t method_end, path_end, version_end, headers;
	uint64_t length;
};

static size_t skip(const unsigned char *in, size_t i, size_t n, unsigned char until)
{
	while (i < n && in[i] != until && in[i] != '\n')
		i++;
	return i;
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = skip(in, 0, n, ' ');

	st->method_end = i;
	i = skip(in, i + 1, n, ' ');
	st->path_end = i;
	i = skip(in, i + 1, n, '\r');
	st->version_end = i;
	i = skip(in, i, n, '\n') + 1;
	st->headers = 0;
	while (i < n && in[i] != '\r') {
		size_t name = i;

		i = skip(in, i, n, ':');
		if (i - name == 14 && !memcmp(in + name, "Content-Length", 14)) {
			uint64_t length = 0;

			for (i++; i < n && in[i] == ' '; i++)
				;
			for (; i < n && in[i] >= '0' && in[i] <= '9'; i++)
				length = length * 10 + in[i] - '0';
			st->length = length;
		}
		i = skip(in, i, n, '\n') + 1;
		st->headers++;
	}
}
