/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe of two tables: the second one's part is written as if it were a probe by itself, and gets names of its own
 * then. Its state is the member "other" of the probe's.
 */
#include <ctype.h>
#include <string.h>

#include "emitter.h"

/* Types behind "struct", and functions. */
static const char *const types[] = {"key", "kept", "first", "pair", "windowed", "window_key", "ward_state"};
static const char *const functions[] = {"on_event", "on_first"};

static bool is_one_of(const char *const *names, size_t n, const char *word, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
			return true;
	return false;
}

/* The end of a text in quotes, which begins here. */
static const char *skip_text(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

void emit_other(struct emitter *e, const char *text)
{
	bool behind_struct = false;

	for (const char *at = text; *at;) {
		const char *end = *at == '"' ? skip_text(at) : at + 1;
		size_t n = word_length(at);

		if (n) {
			bool is_type = behind_struct && is_one_of(types, sizeof(types) / sizeof(types[0]), at, n);

			end = at + n;
			if (is_type || is_one_of(functions, sizeof(functions) / sizeof(functions[0]), at, n)) {
				fputs("other_", e->out);
				at += is_type ? (strncmp(at, "ward_", 5) == 0 ? 5 : 0) : 3;
			}
			behind_struct = n == 6 && strncmp(at, "struct", 6) == 0;
		}
		fwrite(at, 1, (size_t)(end - at), e->out);
		at = end;
	}
	fputc('\n', e->out);
}

void emit_other_entries(struct emitter *e)
{
	const struct plan *p = &e->q->other->plan;

	for (size_t i = 0; i < p->n_sites; i++) {
		fputc('\n', e->out);
		emit_line(e, p->sites[i].span);
		fputs("WARD_ENTRY(", e->out);
		emit_text(e, p->sites[i].text);
		fprintf(e->out,
			")\nvoid on_site%zu(const struct ward_event *ev, struct ward_state *st)\n"
			"{\n\tother_%s(ev, &st->other);\n}\n",
			e->plan->n_sites + i, p->sites[i].is_first ? "first" : "event");
	}
}
