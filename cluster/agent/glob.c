/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both questions are answered by one table over the places of two patterns, row by row: can this place of the one be
 * reached together with that place of the other?
 */
#include "glob.h"

#include <stdlib.h>
#include <string.h>

enum element { GLOB_END, GLOB_ONE, GLOB_ANY, GLOB_SET, GLOB_STAR };

struct glob {
	enum element *element;
	unsigned char *letter; /* of a ONE */
	size_t n;
};

/* Where a set ends, behind its bracket; NULL if it doesn't, as then the bracket means itself. */
static const char *set_end(const char *at)
{
	const char *end = at + 1;

	if (*end == '!' || *end == '^')
		end++;
	if (*end == ']')
		end++;
	end = strchr(end, ']');
	return end ? end + 1 : NULL;
}

static bool glob_make(struct glob *g, const char *text)
{
	size_t n = strlen(text);

	g->n = 0;
	g->element = malloc((n + 1) * sizeof(*g->element));
	g->letter = malloc(n + 1);
	if (!g->element || !g->letter)
		return false;
	while (*text) {
		const char *next = text + 1;
		enum element e = GLOB_ONE;
		g->letter[g->n] = (unsigned char)*text;
		if (*text == '*')
			e = GLOB_STAR;
		else if (*text == '?')
			e = GLOB_ANY;
		else if (*text == '[' && set_end(text)) {
			e = GLOB_SET;
			next = set_end(text);
		} else if (*text == '\\' && text[1]) {
			g->letter[g->n] = (unsigned char)text[1];
			next = text + 2;
		}
		g->element[g->n++] = e;
		text = next;
	}
	g->element[g->n] = GLOB_END;
	return true;
}

static void glob_free(struct glob *g)
{
	free(g->element);
	free(g->letter);
}

/* May one element that isn't a star stand where another one does? */
typedef bool element_fn(const struct glob *a, size_t i, const struct glob *b, size_t j);

/* All that b[j] may be, a[i] is. */
static bool element_covers(const struct glob *a, size_t i, const struct glob *b, size_t j)
{
	if (a->element[i] == GLOB_ANY)
		return true;
	return a->element[i] == GLOB_ONE && b->element[j] == GLOB_ONE && a->letter[i] == b->letter[j];
}

static bool element_meets(const struct glob *a, size_t i, const struct glob *b, size_t j)
{
	return a->element[i] != GLOB_ONE || b->element[j] != GLOB_ONE || a->letter[i] == b->letter[j];
}

/*
 * `row` holds, for each place of b, whether it can be reached together with place i of a. A star of a takes any
 * number of b's elements, of which stars, too. A star of b does the same the other way round, unless a must cover it.
 */
static bool globs_fit(const struct glob *a, const struct glob *b, element_fn *fits, bool both_ways)
{
	bool *row = calloc(b->n + 1, 1), *next = calloc(b->n + 1, 1), *other;
	bool ok = row && next;

	if (ok)
		row[0] = true;
	for (size_t i = 0; ok && i <= a->n; i++) {
		bool is_star = a->element[i] == GLOB_STAR;
		memset(next, 0, b->n + 1);
		for (size_t j = 0; j <= b->n; j++) {
			bool is_other_star = both_ways && b->element[j] == GLOB_STAR;
			if (!row[j])
				continue;
			if (is_star)
				next[j] = true;
			if (j < b->n && (is_star || is_other_star))
				row[j + 1] = true; /* it takes b's element; or b's star takes nothing more */
			if (i == a->n)
				continue;
			if (is_other_star)
				next[j] = true;
			if (!is_star && !is_other_star && j < b->n && b->element[j] != GLOB_STAR && fits(a, i, b, j))
				next[j + 1] = true;
		}
		if (i == a->n)
			ok = row[b->n];
		other = row;
		row = next;
		next = other;
	}
	free(row);
	free(next);
	return ok;
}

bool agent_glob_covers(const char *outer, const char *inner)
{
	struct glob a = {0}, b = {0};
	bool ok = glob_make(&a, outer) && glob_make(&b, inner) && globs_fit(&a, &b, element_covers, false);

	glob_free(&a);
	glob_free(&b);
	return ok;
}

bool agent_glob_meets(const char *one, const char *other)
{
	struct glob a = {0}, b = {0};
	bool ok = !(glob_make(&a, one) && glob_make(&b, other)) || globs_fit(&a, &b, element_meets, true);

	glob_free(&a);
	glob_free(&b);
	return ok;
}
