/* SPDX-License-Identifier: Apache-2.0 */
/* A URL split into its parts. */
/* worst: a */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint32_t scheme, host, host_end, port, path, query, fragment;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0, at;

	while (i < n && in[i] != ':' && in[i] != '/')
		i++;
	st->scheme = i;
	if (i + 2 < n && in[i] == ':' && in[i + 1] == '/' && in[i + 2] == '/')
		i += 3;
	else
		i = 0;
	for (at = i; at < n && in[at] != '/' && in[at] != '?'; at++)
		if (in[at] == '@')
			i = at + 1;
	st->host = i;
	while (i < n && in[i] != ':' && in[i] != '/' && in[i] != '?' && in[i] != '#')
		i++;
	st->host_end = i;
	st->port = 0;
	if (i < n && in[i] == ':')
		for (i++; i < n && in[i] >= '0' && in[i] <= '9'; i++)
			st->port = st->port * 10 + in[i] - '0';
	st->path = i;
	while (i < n && in[i] != '?' && in[i] != '#')
		i++;
	st->query = i;
	while (i < n && in[i] != '#')
		i++;
	st->fragment = i;
}
