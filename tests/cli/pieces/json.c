/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of JSON: how many of each kind, and how deep they nest. */
/* worst: [ */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint64_t strings, numbers, words, errors;
	uint32_t depth, deepest;
};

static int is_space(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0;

	st->depth = 0;
	while (i < n) {
		unsigned char c = in[i++];

		if (is_space(c) || c == ',' || c == ':')
			continue;
		if (c == '{' || c == '[') {
			if (++st->depth > st->deepest)
				st->deepest = st->depth;
		} else if (c == '}' || c == ']') {
			if (st->depth == 0)
				st->errors++;
			else
				st->depth--;
		} else if (c == '"') {
			while (i < n && in[i] != '"')
				i += in[i] == '\\' ? 2 : 1;
			i++;
			st->strings++;
		} else if (c == '-' || (c >= '0' && c <= '9')) {
			while (i < n &&
				((in[i] >= '0' && in[i] <= '9') || in[i] == '.' || in[i] == 'e' || in[i] == '-'))
				i++;
			st->numbers++;
		} else {
			while (i < n && in[i] >= 'a' && in[i] <= 'z')
				i++;
			st->words++;
		}
	}
}
