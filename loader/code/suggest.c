/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The message for a pattern that matched nothing: which module, function or tracepoint is missing, and what the
 * author may have meant.
 */
#include "loader/base/edit_distance.h"
#include "loader/base/error.h"
#include "loader/symbols/demangle.h"
#include "site.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct wl_symbol *nearest_function(const struct wl_module *m, const char *name)
{
	unsigned best = (unsigned)strlen(name) / 2 + 1;
	const struct wl_symbol *found = NULL;

	for (size_t i = 0; i < m->n_symbols; i++) {
		const struct wl_symbol *s = &m->symbols[i];
		char plain[64];
		unsigned d;

		snprintf(plain, sizeof(plain), "%.*s",
			s->readable && !strchr(name, '(') ? (int)wl_plain_length(s->readable) : INT_MAX,
			s->readable ? s->readable : s->name);
		d = wl_edit_distance(name, plain);
		if (d < best) {
			best = d;
			found = s;
		}
	}
	return found;
}

/*
 * What the compiler has made of a function, if it hasn't left the function itself: "scale.constprop.0" of "scale". A
 * part that no call leads to ("f.cold") is the last choice. Of a name with a file or a version: one with another.
 */
static const struct wl_symbol *find_clone(const struct wl_module *m, const char *name)
{
	const struct wl_symbol *found = NULL;
	size_t n = strcspn(name, "@");

	for (size_t i = 0; i < m->n_symbols && n; i++) {
		const struct wl_symbol *s = &m->symbols[i];
		size_t plain = s->readable ? wl_plain_length(s->readable) : 0;
		bool is_clone = (strncmp(s->name, name, n) == 0 && strchr(".@", s->name[n])) ||
				(plain == n && strncmp(s->readable, name, n) == 0);

		if (is_clone && (!found || (wl_name_is_part(found->name) && !wl_name_is_part(s->name))))
			found = s;
	}
	return found;
}

static void hint_function(const struct wl_module *m, const struct wl_symbol *near, struct ward_error *err)
{
	struct wl_shown shown = wl_name_shown(near);

	wl_hint(err, "did you mean %s!%.*s%s%s?", m->name, shown.length, shown.name, shown.mark, shown.which);
}

/* The module's function that the pattern names, or NULL. */
static const struct wl_symbol *named_function(const struct wl_module *m, const struct wl_pattern *pattern)
{
	for (size_t i = 0; i < m->n_symbols; i++)
		if (wl_name_matches(&m->symbols[i], pattern->function, false))
			return &m->symbols[i];
	return NULL;
}

static void list_modules(const struct wl_modules *modules, char *out, size_t size)
{
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < modules->n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", modules->v[i].name);
}

int wl_pattern_no_match(const char *text, const struct wl_pattern *pattern, const struct wl_sites *sites,
	struct wl_modules *modules, struct ward_error *err)
{
	const struct wl_module *m = NULL;
	const struct wl_symbol *near;
	char list[280];

	for (size_t i = 0; i < modules->n && !m; i++)
		if (wl_module_matches(&modules->v[i], pattern->module))
			m = &modules->v[i];
	if (!m) {
		list_modules(modules, list, sizeof(list));
		wl_fail(err, WARD_E_TARGET, text, "there is no module `%s`", pattern->module);
		wl_hint(err, "there is %s; `ward trace --later` waits for one that is loaded later", list);
		return WARD_E_TARGET;
	}
	if (pattern->where == WL_POINT) {
		wl_fail(err, WARD_E_TARGET, text, "no tracepoint matches `%s:%s` in `%s`%s", pattern->provider,
			pattern->name, m->name, m->notes && m->notes->n ? "" : " (it has none)");
		wl_hint(err, "`ward list` with '*!:*:*' shows the tracepoints that there are");
		return WARD_E_TARGET;
	}
	if (pattern->is_address) {
		wl_fail(err, WARD_E_TARGET, text, "`%s` has no code at that address", m->name);
		wl_hint(err, "an address is one of the file's own, as `ward list FILE` and objdump show them");
		return WARD_E_TARGET;
	}
	near = pattern->where == WL_INSN ? named_function(m, pattern) : NULL;
	if (near) {
		wl_fail(err, WARD_E_TARGET, text, "%s",
			near->ifunc ? "the symbol is a resolver (IFUNC), which chooses the function at load time"
				    : "the function ends before that offset");
		wl_hint(err, "`objdump -d` shows its instructions; one can also be named by its address, %s!0xADDRESS",
			m->name);
		return WARD_E_TARGET;
	}
	if (sites->n_gone) {
		const struct wl_gone *gone = &sites->gone[sites->n_gone - 1];

		wl_fail(err, WARD_E_TARGET, gone->label,
			"it was inlined, %llu time%s, and nothing is left of it to be probed",
			(unsigned long long)gone->copies, gone->copies == 1 ? "" : "s");
		wl_hint(err,
			"probe the functions that it was inlined into, or build it with __attribute__((noinline))");
		return WARD_E_TARGET;
	}
	wl_fail(err, WARD_E_TARGET, text, "no function matches `%s` in `%s`%s", pattern->function, m->name,
		!m->stripped        ? ""
		: m->n_symbols == 0 ? " (it has no symbol table)"
				    : " (it has only the symbols that it exports)");
	near = find_clone(m, pattern->function);
	near = near ? near : nearest_function(m, pattern->function);
	if (near)
		hint_function(m, near, err);
	else if (m->stripped)
		wl_hint(err,
			"use a build that is not stripped, or a function of another module: `ward list` shows them");
	else
		wl_hint(err, "`ward list` with '%s!*' shows its functions", m->name);
	return WARD_E_TARGET;
}
