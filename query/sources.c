/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <inttypes.h>
#include <string.h>

static const struct source {
	const char *name;
	const char *prefix, *suffix; /* around what the text says */
	bool is_return, is_throw, is_tracepoint;
	bool is_call;
	bool is_bare; /* a name alone, without a module */
	bool is_sample;
} sources[] = {
	{"Function", "", "", .is_return = false},
	{"Functions", "", "", .is_return = false},
	{"Return", "", ":return", .is_return = true},
	{"Call", "", ":return", .is_return = true, .is_call = true},
	{"Throw", "", ":throw", .is_throw = true},
	{"Tracepoint", "", "", .is_tracepoint = true},
	{"Syscall", "kernel:syscalls:sys_enter_", "", .is_tracepoint = true, .is_bare = true},
	{"SyscallReturn", "kernel:syscalls:sys_exit_", "", .is_tracepoint = true, .is_bare = true},
	{"Sample", "", "", .is_sample = true},
	{"Profile", "profile:", "", .is_bare = true, .is_sample = true},
};

enum { N_SOURCES = sizeof(sources) / sizeof(sources[0]), MOST_SITE = 256 };

bool is_source_root(const struct node *n)
{
	return n->kind == NODE_NAME && (strcmp(n->name, "cluster") == 0 || strcmp(n->name, "machine") == 0);
}

static const struct source *find_source(const char *name)
{
	for (size_t i = 0; i < N_SOURCES; i++)
		if (strcmp(sources[i].name, name) == 0)
			return &sources[i];
	return NULL;
}

static void fail_source(struct resolver *r, const struct node *n)
{
	const char *names[N_SOURCES], *close;
	char hint[200];

	for (size_t i = 0; i < N_SOURCES; i++)
		names[i] = sources[i].name;
	close = n->name ? query_closest(n->name, names, N_SOURCES) : NULL;
	snprintf(hint, sizeof(hint),
		"%s%s%sFunction(\"MODULE!FUNCTION\"), Return(…), Throw(…), Tracepoint(…), Syscall(…)",
		close ? "did you mean " : "", close ? close : "", close ? "? " : "");
	if (n->kind == NODE_CALL && (strcmp(n->name, "Probe") == 0))
		query_fail(r->maker.err, n->at, NULL, "%s is not supported yet", n->name);
	else
		query_fail(r->maker.err, n->span, hint, "a query begins with where its events come from");
}

/* What goes into the probe as it stands is a plain text. */
static bool is_plain(const char *text)
{
	for (const char *p = text; *p; p++)
		if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return *text != 0 && strlen(text) < MOST_SITE;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static bool check_site(struct resolver *r, const struct source *s, const char *text, struct query_span at)
{
	char hint[300];

	if (!is_plain(text)) {
		query_fail(r->maker.err, at, NULL,
			"a site has at most %d characters, and no quotes, backslashes or control characters",
			MOST_SITE - 1);
	} else if (s->is_bare) {
		return true;
	} else if (s->is_sample && (strchr(text, '!') || !strchr(text, ':'))) {
		query_fail(r->maker.err, at, "\"profile:99\", \"interval:1s\", or \"cache-misses:10000\"",
			"%.100s says not how often samples are taken", text);
	} else if (s->is_sample) {
		return true;
	} else if (s->is_tracepoint && !strchr(text, ':')) {
		query_fail(r->maker.err, at, "\"MODULE!:PROVIDER:NAME\", or \"kernel:SUBSYSTEM:EVENT\"",
			"%.100s is no tracepoint", text);
	} else if (!s->is_tracepoint && !strchr(text, '!')) {
		snprintf(hint, sizeof(hint), "\"*!%.100s\" is %.100s in every module", text, text);
		query_fail(r->maker.err, at, hint, "%.100s: a site is MODULE!FUNCTION", text);
	} else if (!s->is_tracepoint && (ends_with(text, ":return") || ends_with(text, ":throw"))) {
		query_fail(r->maker.err, at, "Return(\"MODULE!FUNCTION\"), Throw(\"MODULE!FUNCTION\")",
			"%s is of a function's beginning", s->name);
	} else {
		return true;
	}
	return false;
}

/* The beginning of a call, whose end is the last site. */
static void add_beginning(struct resolver *r, const char *text, struct query_span at)
{
	struct plan *p = r->plan;

	if (r->maker.err->is_set)
		return;
	if (p->n_sites == PLAN_SITES) {
		query_fail(r->maker.err, at, "a pattern: \"libc.so.6!*alloc\"", "more than %d sites", PLAN_SITES);
		return;
	}
	if (p->sites[0].is_kernel)
		query_fail(r->maker.err, at, "Return(…) has arg, elapsed and ret",
			"Call of the kernel's functions is not supported yet: a call may end on another processor");
	p->sites[p->n_sites++] = (struct plan_site){.text = text, .span = at, .is_first = true};
	p->pair.kind = PAIR_CALL;
}

static void add_site(struct resolver *r, const struct source *s, const char *text, bool is_kernel, struct query_span at)
{
	struct plan *p = r->plan;
	struct plan_site *site = &p->sites[p->n_sites];

	if (!check_site(r, s, text, at))
		return;
	if (p->n_sites == PLAN_SITES) {
		query_fail(r->maker.err, at, "a pattern: \"libc.so.6!*alloc\"", "more than %d sites", PLAN_SITES);
		return;
	}
	*site = (struct plan_site){
		.text = query_format(r->maker.arena, "%s%s%s", s->prefix, text, s->suffix),
		.span = at,
		.is_return = s->is_return,
		.is_throw = s->is_throw,
		.is_tracepoint = s->is_tracepoint,
	};
	site->is_sample = s->is_sample;
	site->is_kernel = is_kernel || strncmp(site->text, "kernel!", 7) == 0 || strncmp(site->text, "kernel:", 7) == 0;
	p->n_sites++;
	if (site->is_kernel != p->sites[0].is_kernel)
		query_fail(r->maker.err, at, "ask two questions", "sites of the kernel and of a process");
}

static bool is_kernel_name(const struct resolver *r, const struct node *n)
{
	return n->kind == NODE_NAME && strcmp(n->name, "kernel") == 0 && !find_definition(r, "kernel");
}

/* Function(kernel, "GLOB"): the module is a text, a parameter, or the kernel itself. */
static const char *module_of(struct resolver *r, struct node *n)
{
	struct expr *e;

	if (is_kernel_name(r, n))
		return "kernel";
	e = resolve(r, n, NULL, NULL);
	if (!r->maker.err->is_set && e->kind != EXPR_TEXT)
		query_fail(r->maker.err, n->span, NULL, "a module's name is a text");
	return e->kind == EXPR_TEXT ? e->text : "";
}

static const char *text_of(struct resolver *r, struct node *n)
{
	struct expr *e = resolve(r, n, NULL, NULL);

	if (!r->maker.err->is_set && e->kind != EXPR_TEXT)
		query_fail(r->maker.err, n->span, "\"MODULE!FUNCTION\"", "a site is a text");
	return e->kind == EXPR_TEXT ? e->text : "";
}

/* Profile(99): a number. */
static const char *rate_of(struct resolver *r, struct node *n)
{
	struct expr *e = resolve(r, n, NULL, NULL);

	if (!r->maker.err->is_set && e->kind != EXPR_CONST)
		query_fail(
			r->maker.err, n->span, "Profile(99), or Profile(kernel, 99)", "a rate of samples is a number");
	return r->maker.err->is_set ? "" : query_format(r->maker.arena, "%" PRIu64, e->value);
}

/* Sample("profile:99") of a process, Sample(kernel, "profile:99") of the machine's processors. */
static void add_samples(struct resolver *r, const struct source *s, const struct node *n)
{
	struct node *arg = n->args;
	bool is_kernel = arg && arg->next && is_kernel_name(r, arg);

	if (!arg)
		query_fail(r->maker.err, n->span, NULL, "%s: how often?", n->name);
	for (arg = is_kernel ? arg->next : arg; arg && !r->maker.err->is_set; arg = arg->next) {
		const char *text = s->is_bare ? rate_of(r, arg) : text_of(r, arg);

		if (!r->maker.err->is_set)
			add_site(r, s, text, is_kernel, arg->span);
	}
}

void add_sources(struct resolver *r, struct node *n)
{
	const struct source *s = n->kind == NODE_CALL ? find_source(n->name) : NULL;
	struct node *arg = s ? n->args : NULL;
	const char *module = NULL;

	if (!s) {
		fail_source(r, n);
		return;
	}
	if (s->is_sample) {
		add_samples(r, s, n);
		return;
	}
	if (!arg)
		query_fail(r->maker.err, n->span, NULL, "%s of which function?", n->name);
	if (arg && arg->next && !s->is_bare &&
		(arg->kind == NODE_NAME || !strpbrk(arg->name ? arg->name : "!", "!:"))) {
		module = module_of(r, arg);
		arg = arg->next;
	}
	for (; arg && !r->maker.err->is_set; arg = arg->next) {
		const char *text = text_of(r, arg);

		if (r->maker.err->is_set)
			break;
		text = module ? query_format(r->maker.arena, "%s!%s", module, text) : text;
		add_site(r, s, text, false, arg->span);
		if (s->is_call)
			add_beginning(r, text, arg->span);
	}
}
