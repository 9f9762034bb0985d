/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name addresses and sites. An address in the target's code that a probe has kept is shown as MODULE!FUNCTION+OFFSET.
 * Tables show the name in place of the address. In JSON the numbers stay numbers, and each that has a name is printed
 * once with it, before the end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verifier/tool/report.h"

enum {
	FIRST = 256,
	MOST = 1 << 16,       /* addresses that are remembered */
	LONGEST_NAME = 40000, /* of a function and its module: no name that is read is longer */
};

void cli_names_close(struct cli_names *n)
{
	ward_names_close(n->names);
	free(n->seen);
	for (size_t i = 0; i < n->n_sites; i++)
		free(n->site[i]);
	free(n->site);
	*n = (struct cli_names){0};
}

/* Into the text, with nothing in it that a terminal would act on. False if that doesn't fit. */
static bool put_clean(char *text, size_t size, const char *name)
{
	char *clean = text_clean(name);
	bool fits = clean && strlen(clean) < size;
	if (fits)
		strcpy(text, clean);
	free(clean);
	return fits;
}

/* The library marks what it cuts. Characters that a terminal would act on need more room, so it has to cut more. */
void cli_address_text(const struct cli_output *out, char *text, size_t size, uint64_t address, struct cli_origin from)
{
	char name[1024];
	size_t room = size < sizeof(name) ? size : sizeof(name);
	while (room > 32 && out->names &&
		ward_names_find_at(out->names->names, address, from.thread, from.time, name, room)) {
		if (put_clean(text, size, name))
			return;
		room /= 2;
	}
	snprintf(text, size, "%#" PRIx64, address);
}

char *cli_stack_text(const struct cli_output *out, uint64_t address, struct cli_origin from)
{
	char *name = out->names ? malloc(LONGEST_NAME) : NULL, *clean = NULL;
	if (name && ward_names_find_at(out->names->names, address, from.thread, from.time, name, LONGEST_NAME) &&
		strchr(name, ';'))
		clean = text_clean(name);
	free(name);
	return clean;
}

void cli_names_add_site(struct cli_names *n, uint32_t number, const char *site)
{
	const char *end = strrchr(site, ':');
	if (number >= n->n_sites) {
		size_t more = number < MOST ? (size_t)number * 2 + 16 : 0;
		char **grown = more ? realloc(n->site, more * sizeof(*grown)) : NULL;
		if (!grown)
			return;
		memset(grown + n->n_sites, 0, (more - n->n_sites) * sizeof(*grown));
		n->site = grown;
		n->n_sites = more;
	}
	if (!n->site[number])
		n->site[number] = end && (strcmp(end, ":return") == 0 || strcmp(end, ":throw") == 0)
					  ? strndup(site, (size_t)(end - site))
					  : strdup(site);
}

/* A name that is cut has its number behind it: two that begin alike stay two. */
void cli_site_text(const struct cli_output *out, char *text, size_t size, uint64_t number)
{
	const char *name = out->names && number < out->names->n_sites ? out->names->site[number] : NULL;
	char mark[40];
	if (!name) {
		snprintf(text, size, "%" PRId64, (int64_t)number);
		return;
	}
	if (put_clean(text, size, name))
		return;
	snprintf(mark, sizeof(mark), "...[site %" PRIu64 "]", number);
	if (strlen(mark) < size) {
		cli_clean_text(text, size - strlen(mark), name);
		strcat(text, mark);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Each once, in order. */
static void put_in_order(struct cli_names *n)
{
	size_t kept = 0;
	if (n->n)
		qsort(n->seen, n->n, sizeof(*n->seen), by_value);
	for (size_t i = 0; i < n->n; i++)
		if (kept == 0 || n->seen[i] != n->seen[kept - 1])
			n->seen[kept++] = n->seen[i];
	n->n = kept;
}

/* Room for one more; if there is none the address stays without a name. */
static bool make_room(struct cli_names *n)
{
	if (n->n == n->cap)
		put_in_order(n);
	if (n->n * 2 <= n->cap && n->n < n->cap)
		return true;
	size_t cap = n->cap ? n->cap * 2 : FIRST;
	uint64_t *seen = cap <= MOST ? realloc(n->seen, cap * sizeof(*seen)) : NULL;
	if (!seen)
		return n->n < n->cap;
	n->seen = seen;
	n->cap = cap;
	return true;
}

void cli_names_note(struct cli_output *out, uint64_t address)
{
	struct cli_names *n = out->names;
	if (n && (n->n < n->cap || make_room(n)))
		n->seen[n->n++] = address;
}

char *cli_names_own(const struct cli_output *out, uint64_t address, struct cli_origin from)
{
	char *own, *all;
	if (!out->names || !out->names->several)
		return NULL;
	own = malloc(LONGEST_NAME);
	all = malloc(LONGEST_NAME);
	if (!own || !all ||
		!ward_names_find_at(out->names->names, address, from.thread, from.time, own, LONGEST_NAME) ||
		(ward_names_find(out->names->names, address, all, LONGEST_NAME) && strcmp(own, all) == 0)) {
		free(own);
		own = NULL;
	}
	free(all);
	return own;
}

void cli_names_each(struct cli_output *out, cli_name_fn *fn)
{
	struct cli_names *n = out->names;
	char *name = n ? malloc(LONGEST_NAME) : NULL;
	if (!name)
		return;
	put_in_order(n);
	for (size_t i = 0; i < n->n; i++)
		if (ward_names_find(n->names, n->seen[i], name, LONGEST_NAME))
			fn(out, n->seen[i], name);
	free(name);
}
