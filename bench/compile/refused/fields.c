/* SPDX-License-Identifier: Apache-2.0 */
/* Records with fields that name their lengths, each of which is copied: several loops in one, all without a bound. */
#include <ward/probe.h>
#include <string.h>

struct ward_state {
	ward_count records, names, values, broken;
	unsigned length;
	unsigned char in[65536], name[256], value[4096];
};

static unsigned number(const unsigned char *in, unsigned n, unsigned *at)
{
	unsigned value = 0;

	while (*at < n && in[*at] & 128)
		value = value << 7 | (in[(*at)++] & 127);
	return *at < n ? value << 7 | in[(*at)++] : 0;
}

static unsigned copy(unsigned char *to, unsigned room, const unsigned char *in, unsigned n, unsigned *at)
{
	unsigned length = number(in, n, at), i = 0;

	while (length-- && *at < n) {
		if (i < room)
			to[i++] = in[*at];
		++*at;
	}
	return i;
}

static unsigned long sum(const unsigned char *in, unsigned n)
{
	unsigned long s = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned long x = in[i]; x > 1; x = x & 1 ? 3 * x + 1 : x / 2)
			s++;
	return s;
}

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	unsigned at = 0, n = st->length < sizeof st->in ? st->length : sizeof st->in;

	while (at < n) {
		unsigned fields = number(st->in, n, &at);

		while (fields-- && at < n) {
			st->names += sum(st->name, copy(st->name, sizeof st->name, st->in, n, &at));
			st->values += sum(st->value, copy(st->value, sizeof st->value, st->in, n, &at));
		}
		if (fields != -1u)
			st->broken++;
		st->records++;
	}
}
