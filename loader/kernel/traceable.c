/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions the kernel allows to be traced, and how. Two files of tracefs say that: available_filter_functions
 * lists those whose first instruction the function tracer can change, and enabled_functions those where it is changed
 * now. Several static functions may have the same name there, too. Each of them is known to be meant only if the file
 * has the name as often as there are functions. A function that isn't listed is in a part of the kernel's code, or in
 * a module, that explains why.
 */
#include "symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char no_place[] =
	"the kernel doesn't let this function be traced: it was built without a place for it (notrace, assembly)";

/* Why nothing of such a module can be probed: it isn't code of the kernel's own, or it is Ward's. */
static const char *module_reason(const char *module)
{
	if (strcmp(module, "ward") == 0 || strcmp(module, "ward_arena") == 0)
		return "this is the code that runs the probes";
	if (strcmp(module, "bpf") == 0)
		return "it is a program or a trampoline of BPF";
	if (strncmp(module, "__builtin__", 11) == 0)
		return "it is code that the kernel made at run time";
	return NULL;
}

/* More of what can't be traced than that it can't. */
static const char *part_reason(const struct wl_ksyms *k, uint64_t addr)
{
	if (wl_ksyms_in(k, WL_KPART_INIT, addr))
		return "the kernel has no such code any more: it ran while the kernel started";
	if (wl_ksyms_in(k, WL_KPART_NOINSTR, addr))
		return "the kernel doesn't let this function be traced: it runs where no tracing is possible (noinstr)";
	if (wl_ksyms_in(k, WL_KPART_ENTRY, addr))
		return "the kernel doesn't let this function be traced: it is entry code, in assembly";
	return no_place;
}

static int by_name(const void *a, const void *b)
{
	const struct wl_ksym *x = a, *y = b;
	int names = strcmp(x->name, y->name);

	return names ? names : strcmp(x->module, y->module);
}

/* First place in v[0 … n), in order of names, that isn't before `key`. */
static size_t lower_bound(const struct wl_ksym *v, size_t n, const struct wl_ksym *key)
{
	size_t lo = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (by_name(&v[lo + half], key) < 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* Of those that are called so. */
struct named {
	size_t n, held, ours;
};

/* k's are in order of names. */
static struct named count_named(const struct wl_ksyms *k, const struct wl_ksym *key)
{
	struct named c = {0};

	for (size_t i = lower_bound(k->v, k->n, key); i < k->n && by_name(&k->v[i], key) == 0; i++) {
		c.n++;
		c.held += k->v[i].held;
		c.ours += k->v[i].ours;
	}
	return c;
}

/* In order of names. */
static void mark_several(struct wl_ksyms *k)
{
	for (size_t i = 1; i < k->n; i++)
		if (by_name(&k->v[i - 1], &k->v[i]) == 0)
			k->v[i - 1].several = k->v[i].several = true;
}

/*
 * `traceable` has the names that the tracer can trace, in order, `held` those that somebody has; in order are k's
 * functions as well.
 */
static void give_reasons(struct wl_ksyms *k, const struct wl_ksyms *traceable, const struct wl_ksyms *enabled)
{
	size_t count;

	for (size_t i = 0; i < k->n; i += count) {
		size_t can = count_named(traceable, &k->v[i]).n;
		struct named on = count_named(enabled, &k->v[i]);

		for (count = 1; i + count < k->n && by_name(&k->v[i], &k->v[i + count]) == 0; count++)
			;
		for (size_t j = i; j < i + count; j++) {
			k->v[j].held = on.held >= count;
			k->v[j].ours = on.ours >= count;
			if (can < count)
				k->v[j].reason = can ? "several functions have this name, and the kernel lets only "
						       "some of them be traced"
						     : no_place;
		}
	}
}

/*
 * The tracer knows a function by one of its names; what is true of an address is true of all of them. k's functions are
 * in order of addresses.
 */
static void share_reasons(struct wl_ksyms *k)
{
	size_t end;

	for (size_t i = 0; i < k->n; i = end) {
		bool can = false, held = false, ours = false;

		for (end = i; end < k->n && k->v[end].addr == k->v[i].addr; end++) {
			can |= !k->v[end].reason;
			held |= k->v[end].held;
			ours |= k->v[end].ours;
		}
		for (size_t j = i; j < end; j++) {
			k->v[j].held = held;
			k->v[j].ours = ours;
			if (can)
				k->v[j].reason = NULL;
		}
	}
}

/*
 * "name [module]", of enabled_functions with more behind it: "name [module] (2) R I D\ttramp: …", how many have it, and
 * flags: I changes where it goes on, D calls other code from it directly. Lines that go on from the one before begin
 * with white space: "\tdirect-->ward_arena+0x40/0x100000 [ward_arena]", that code is ours.
 */
static bool parse_list(struct wl_ksyms *out, char *text)
{
	size_t room = 0;
	char *line;

	while (text && (line = wl_next_line(&text))) {
		struct wl_ksym sym = {0};
		char *users = strchr(line, '(');
		size_t flags = users ? strcspn(users, ")") : 0;

		if (users) {
			users[strcspn(users, "\t")] = 0;
			sym.held = strlen(users) > flags && strpbrk(users + flags, "ID");
			*users = 0;
		}
		if (out->n && isspace((unsigned char)*line) && strstr(line, "direct-->") &&
			strstr(line, "[ward_arena]"))
			out->v[out->n - 1].ours = true;
		wl_ksym_split(line, &sym.name, &sym.module);
		if (*sym.name && !wl_ksyms_add(out, &room, sym))
			return false;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
	return true;
}

/* Modules speak for themselves, and what can't be traced is known better by where it is. */
static void symbols_refine(struct wl_ksyms *k)
{
	for (size_t i = 0; i < k->n; i++) {
		struct wl_ksym *sym = &k->v[i];
		const char *foreign = module_reason(sym->module);

		if (foreign)
			sym->reason = foreign;
		else if (sym->reason == no_place && !*sym->module)
			sym->reason = part_reason(k, sym->addr);
	}
}

bool wl_ksyms_judge(struct wl_ksyms *k, char *traceable, char *enabled)
{
	struct wl_ksyms can = {0}, on = {0};
	bool ok = parse_list(&can, traceable) && parse_list(&on, enabled);

	if (ok && k->n) {
		qsort(k->v, k->n, sizeof(*k->v), by_name);
		mark_several(k);
		if (can.n)
			give_reasons(k, &can, &on);
		qsort(k->v, k->n, sizeof(*k->v), wl_ksyms_by_address);
	}
	if (ok && can.n && k->n) {
		share_reasons(k);
		k->checked = true;
	}
	symbols_refine(k);
	wl_ksyms_free(&can);
	wl_ksyms_free(&on);
	return ok;
}

char *wl_read_tracing(const char *name)
{
	/* the second is the older one */
	static const char *const at[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[WL_KEVENT_NAME + 100], *text = NULL;

	for (size_t i = 0; i < 2 && !text; i++) {
		snprintf(path, sizeof(path), "%s/%s", at[i], name);
		text = wl_read_file(path);
		if (!text && errno == ENOMEM)
			break;
	}
	return text;
}

bool wl_ksyms_check(struct wl_ksyms *k, bool all)
{
	char *traceable = NULL, *enabled = NULL;
	bool ok = true;

	if (all) {
		traceable = wl_read_tracing("available_filter_functions");
		ok = traceable || errno != ENOMEM;
	}
	if (traceable) {
		enabled = wl_read_tracing("enabled_functions");
		ok = enabled || errno != ENOMEM;
	}
	ok = ok && wl_ksyms_judge(k, traceable, enabled);
	free(traceable);
	free(enabled);
	return ok;
}
