/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's tracepoints: places in its code at which it calls its tracers, with arguments that its authors chose.
 * tracefs lists events, "subsystem:event", most of which are a tracepoint of that name. Events of system calls have
 * no tracepoint of their own (syscalls.c), and tracers create other events while the kernel runs, with any names.
 * Each tracepoint has a function __traceiter_EVENT among the kernel's symbols. Where these files aren't shown, any
 * event is accepted here; ward.ko decides.
 */
#include "symbols.h"

#include "loader/base/error.h"
#include "kmod/ward_ioctl.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char no_point[] = "the kernel has no tracepoint of that name, only an event";

/* "subsystem:event", in what a file system allows of ASCII. */
static bool is_event(const char *name)
{
	const char *colon = strchr(name, ':');

	for (const char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~' || *c == '/')
			return false;
	return colon && colon != name && colon[1] && !strchr(colon + 1, ':') && strlen(name) < WL_KEVENT_NAME;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct wl_ksym *)a)->name, ((const struct wl_ksym *)b)->name);
}

static void symbols_sort(struct wl_ksyms *k)
{
	if (k->n)
		qsort(k->v, k->n, sizeof(*k->v), by_name);
}

/* Those of the list, a name a line, that match; none twice. */
static bool parse_events(struct wl_ksyms *k, char *list, const char *glob)
{
	size_t room = 0, n = 0;
	char *line;

	while ((line = wl_next_line(&list)))
		if (is_event(line) && fnmatch(glob, line, 0) == 0 &&
			!wl_ksyms_add(k, &room, (struct wl_ksym){.name = line, .module = ""}))
			return false;
	symbols_sort(k);
	for (size_t i = 0; i < k->n; i++)
		if (n == 0 || strcmp(k->v[n - 1].name, k->v[i].name) != 0)
			k->v[n++] = k->v[i];
	k->n = n;
	return true;
}

/*
 * Names of tracepoints, from lines as "ffffffff81000000 T __traceiter_sched_switch" and "ffffffffc0000000 t
 * __traceiter_kvm_exit\t[kvm]".
 */
static bool parse_symbols(struct wl_ksyms *points, char *symbols)
{
	static const char prefix[] = " __traceiter_";
	size_t room = 0;
	char *line, *at;

	while (symbols && (line = wl_next_line(&symbols))) {
		struct wl_ksym point = {0};

		at = strstr(line, prefix);
		if (!at)
			continue;
		wl_ksym_split(at + strlen(prefix), &point.name, &point.module);
		if (*point.name && !wl_ksyms_add(points, &room, point))
			return false;
	}
	symbols_sort(points);
	return true;
}

/* What tracers have made, from lines as "p:kprobes/mine vfs_read" and "s:synthetic/slow\tu64 ns". */
static bool parse_made(struct wl_ksyms *made, char *dynamic)
{
	size_t room = 0;
	char *line;

	while (dynamic && (line = wl_next_line(&dynamic))) {
		char *name = strchr(line, ':'), *slash;

		if (!name)
			continue;
		name++;
		name[strcspn(name, " \t")] = 0;
		slash = strchr(name, '/');
		if (slash)
			*slash = ':';
		if (!wl_ksyms_add(made, &room, (struct wl_ksym){.name = name, .module = ""}))
			return false;
	}
	symbols_sort(made);
	return true;
}

static struct wl_ksym *symbol_named(const struct wl_ksyms *k, const char *name)
{
	const struct wl_ksym key = {.name = name};

	return k->n ? bsearch(&key, k->v, k->n, sizeof(key), by_name) : NULL;
}

/* Have several this one's name? */
static bool is_one_of_several(const struct wl_ksyms *k, const struct wl_ksym *one)
{
	return (one > k->v && by_name(one - 1, one) == 0) || (one + 1 < k->v + k->n && by_name(one, one + 1) == 0);
}

static const char *reason_of(
	const char *name, const struct wl_ksym *point, const struct wl_ksyms *points, const struct wl_ksyms *made)
{
	const char *event = strchr(name, ':') + 1;

	if (symbol_named(made, name) || strncmp(name, "user_events:", 12) == 0)
		return "it was made at run time, and isn't a tracepoint: probe the function that contains it, "
		       "as in kernel!vfs_read";
	if (strlen(event) >= WARD_K_MAX_NAME || (points->n && !point))
		return no_point;
	if (point && is_one_of_several(points, point))
		return "several tracepoints have this name, in different modules";
	return NULL;
}

bool wl_kevents_judge(struct wl_ksyms *k, const char *glob, char *events, char *dynamic, char *symbols)
{
	struct wl_ksyms points = {0}, made = {0};
	bool ok = parse_events(k, events, glob) && parse_symbols(&points, symbols) && parse_made(&made, dynamic);

	for (size_t i = 0; ok && i < k->n; i++) {
		const struct wl_ksym *point = symbol_named(&points, strchr(k->v[i].name, ':') + 1);

		k->v[i].module = point ? point->module : "";
		k->v[i].call = symbol_named(&made, k->v[i].name) ? WL_KCALL_NONE : wl_kcall_of(k->v[i].name);
		if (!k->v[i].call)
			k->v[i].reason = reason_of(k->v[i].name, point, &points, &made);
	}
	k->checked = ok;
	wl_ksyms_free(&points);
	wl_ksyms_free(&made);
	return ok;
}

static int unknown_tracepoint(int error, struct ward_error *err)
{
	if (error == ENOMEM)
		return wl_no_memory(err);
	wl_fail(err, WARD_E_TARGET, "available_events", "it isn't known which tracepoints the kernel has: %s",
		strerror(error));
	wl_hint(err, "run as root, and mount -t tracefs tracefs /sys/kernel/tracing");
	return WARD_E_TARGET;
}

int wl_kevents_read(const char *glob, struct wl_ksyms *out, struct ward_error *err)
{
	char *dynamic = NULL;
	bool ok = true;
	int rc;

	*out = (struct wl_ksyms){.text = wl_read_tracing("available_events")};
	if (!out->text)
		return unknown_tracepoint(errno, err);
	dynamic = wl_read_tracing("dynamic_events");
	ok = dynamic || errno != ENOMEM;
	if (ok) {
		out->modules = wl_read_file("/proc/kallsyms");
		ok = out->modules || errno != ENOMEM;
	}
	ok = ok && wl_kevents_judge(out, glob, out->text, dynamic, out->modules);
	free(dynamic);
	rc = ok ? wl_kcalls_read(out, err) : wl_no_memory(err);
	if (rc)
		wl_ksyms_free(out);
	return rc;
}
