/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library's function often has several names: `free`, `cfree` and `__libc_free` are one. Which of them a program was
 * written with can't be seen. The most usual one is shown: with the fewest underscores before it, none of those that
 * old standards have left, and of the others the shortest (`strtol` of `strtoll` and `strtoimax`, `lseek` of
 * `lseek64`).
 */
#include "alias.h"

#include "demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that programs had before the C library's others were standard. */
static const char *const DATED[] = {"bcmp", "bcopy", "bsd_signal", "bzero", "cfree", "drem", "dremf", "dreml", "gamma",
	"gammaf", "gammal", "gsignal", "index", "rindex", "ssignal", "strtoq", "strtouq"};

static bool is_dated(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(DATED) / sizeof(DATED[0]); i++)
		if (strlen(DATED[i]) == n && memcmp(DATED[i], name, n) == 0)
			return true;
	return false;
}

bool wl_is_plainer(const char *a, const char *b)
{
	size_t x = strspn(a, "_"), y = strspn(b, "_"), n = strcspn(a, "@"), k = strcspn(b, "@");

	if (x != y)
		return x < y;
	if (is_dated(a, n) != is_dated(b, k))
		return is_dated(b, k);
	if (n != k)
		return n < k;
	return memcmp(a, b, n) > 0; /* _exit before _Exit */
}

/* The plainest first; of versions of one name the default, which has no @. */
static int by_plainness(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	if (wl_is_plainer(x, y))
		return -1;
	return wl_is_plainer(y, x) ? 1 : strcmp(x, y);
}

static char *alias_text(const struct wl_symbol *s)
{
	struct wl_shown shown = wl_name_shown(s);
	char *text;

	return asprintf(&text, "%.*s%s%s", shown.length, shown.name, shown.mark, shown.which) < 0 ? NULL : text;
}

/* Each text once, and not that which is shown already. */
static void aliases_thin(struct wl_aliases *all, const char *shown)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i], shown) == 0 || (kept && strcmp(all->v[i], all->v[kept - 1]) == 0))
			free(all->v[i]);
		else
			all->v[kept++] = all->v[i];
	all->n = kept;
}

static bool is_of_name(const struct wl_symbol *s, const struct wl_symbol *shown)
{
	size_t n = strcspn(shown->name, "@");

	return strcspn(s->name, "@") == n && memcmp(s->name, shown->name, n) == 0;
}

bool wl_aliases_find(const struct wl_symbol *symbols, size_t n, const struct wl_symbol *shown, struct wl_aliases *out)
{
	char *text = alias_text(shown);
	const char *version = NULL;

	*out = (struct wl_aliases){.v = calloc(n + 1, sizeof(char *))};
	for (size_t i = 0; text && out->v && i < n; i++) {
		if (is_of_name(&symbols[i], shown) && symbols[i].version && (!version || symbols[i].is_default))
			version = symbols[i].version;
		out->v[out->n] = alias_text(&symbols[i]);
		if (!out->v[out->n])
			break;
		out->n++;
	}
	out->version = version ? strdup(version) : NULL;
	if (!text || !out->v || out->n < n || (version && !out->version)) {
		free(text);
		wl_aliases_free(out);
		return false;
	}
	qsort(out->v, out->n, sizeof(char *), by_plainness);
	aliases_thin(out, text);
	free(text);
	return true;
}

void wl_aliases_free(struct wl_aliases *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->v[i]);
	free(all->v);
	free(all->version);
	*all = (struct wl_aliases){0};
}
