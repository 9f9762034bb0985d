/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward_verify: parse, sweep, sum, and gather the facts. A module is accepted only if every stage ran to its end and
 * no rule was broken; each stage runs only if the stages before it found nothing.
 */
#include "check.h"
#include "verifier/step/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the verdict's memory ---- */

enum { SAME_PLACE = 16 };

/* The descriptions of violations. It is allocated at the first violation. */
struct described {
	struct ward_violation violation[WARD_MAX_VIOLATIONS];
	char detail[WARD_MAX_VIOLATIONS][300];
};

/* A verdict and all that it refers to. */
struct holder {
	struct ward_verdict verdict;
	struct described *described;
	bool no_memory;
	struct ward_entry_facts *entries;
	struct ward_import_facts imports[WV_MAX_IMPORTS];
	struct wv_exits exits;
	char *strings;
	size_t n_strings;
};

static void violation_collect(
	struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail)
{
	struct holder *h = sink->user;
	size_t n = h->verdict.n_violations, kept = n < WARD_MAX_VIOLATIONS ? n : WARD_MAX_VIOLATIONS;
	struct described *d = h->described = h->described ? h->described : calloc(1, sizeof *h->described);
	if (!d) {
		h->no_memory = true;
		return;
	}
	h->verdict.violations = d->violation;
	for (size_t i = kept > SAME_PLACE ? kept - SAME_PLACE : 0; pc && i < kept; i++) {
		/* Once is enough: both halves of a read-modify-write break the same rule, one after the other. */
		if (d->violation[i].rule == rule && d->violation[i].pc == pc && d->violation[i].reason == reason)
			return;
	}
	if (n < WARD_MAX_VIOLATIONS) {
		snprintf(d->detail[n], sizeof d->detail[n], "%s", detail);
		d->violation[n] =
			(struct ward_violation){.rule = rule, .pc = pc, .reason = reason, .detail = d->detail[n]};
	}
	h->verdict.n_violations++;
}

/* Room for the facts of every entry that the file can have; n_entries is checked by then. */
static bool make_room(struct holder *h, const struct wv_module *m)
{
	h->entries = calloc(m->n_entries, sizeof *h->entries);
	h->strings = calloc(3 * (size_t)m->n_entries + 1, m->strings.n + 1 < 4096 ? m->strings.n + 1 : 4096);
	return h->entries && h->strings;
}

/* ---- facts ---- */

enum { MAX_NAME = 4095 };

static const char *keep_string(struct holder *h, const char *s)
{
	char *to = h->strings + h->n_strings;
	size_t n = strnlen(s, MAX_NAME);
	memcpy(to, s, n);
	to[n] = 0;
	h->n_strings += n + 1;
	return to;
}

static const uint16_t callee_saved =
	1u << WV_RBX | 1u << WV_RSP | 1u << WV_RBP | 1u << WV_R12 | 1u << WV_R13 | 1u << WV_R14 | 1u << WV_R15;

/* The registers that are preserved (V-42) are as they were at return, however they were used in between. */
static void entry_facts(struct holder *h, uint32_t i, const struct wv_entry *e, const struct wv_function *f)
{
	h->entries[i] = (struct ward_entry_facts){
		.name = keep_string(h, e->name),
		.site = keep_string(h, e->site),
		.state_type = keep_string(h, e->state_type),
		.kind = e->kind,
		.addr = e->addr,
		.max_insns = f->cost,
		.stack_bytes = f->stack_bytes,
		.clobbers = f->written & ~(uint32_t)callee_saved,
		.event_fields = f->event_fields,
		.writes_state = f->writes_state,
		.imports = f->imports,
		.needs = f->needs | (f->aligned ? (uint32_t)WARD_NEED_RSP_ALIGNED : 0),
	};
}

/* The host calls an entry with the event in rdi and the state in rsi, and passes no window. */
static bool callable_by_host(struct wv_check *c, const struct wv_function *f, char *why, size_t size)
{
	struct wv_ctx ctx = {.module = c->module, .sink = c->sink, .max_stack = c->max_stack, .next_sym = 1};
	wv_state_entry(&ctx, c->states);
	return wv_claims_contain(f, 0, c->states, false, why, size);
}

static void gather_entries(struct wv_check *c, struct holder *h)
{
	char why[280];
	for (uint32_t i = 0; i < c->module->n_entries; i++) {
		struct wv_entry e = wv_module_entry(c->module, i);
		const struct wv_function *f = wv_function_at(c, e.addr - c->module->text.addr);
		if (f && f->stub)
			wv_report(c->sink, WARD_RULE_ENTRY, e.addr, "entry-is-stub",
				"entry %.60s is only a jump to an import; the host can't call it, as no probe has set "
				"the arguments",
				e.name);
		else if (f && callable_by_host(c, f, why, sizeof why))
			entry_facts(h, i, &e, f);
		else if (f)
			wv_report(c->sink, WARD_RULE_ENTRY, e.addr, "entry-wants-more",
				"entry %.60s needs more than the host gives: %s", e.name, why);
		else
			wv_report(c->sink, WARD_RULE_ENTRY, e.addr, "entry-without-proof",
				"the proof has no function that starts at entry %.60s", e.name);
	}
}

static void module_facts(const struct wv_check *c, struct holder *h)
{
	const struct wv_module *m = c->module;
	for (uint32_t i = 0; i < m->n_imports; i++)
		h->imports[i] = (struct ward_import_facts){(enum ward_import)m->import[i].id, m->import[i].slot};
	h->verdict.module = (struct ward_module_facts){
		.profile = m->profile,
		.state_size = m->state_size,
		.features = m->features,
		.text = m->text,
		.rodata = m->rodata,
		.data = m->data,
		.n_entries = m->n_entries,
		.entries = h->entries,
		.n_insns = c->n_insns,
		.n_imports = m->n_imports,
		.imports = h->imports,
		.n_exits = h->exits.n,
		.exits = h->exits.v,
	};
}

static bool import_is_allowed(const struct ward_verify_options *o, const char *name)
{
	for (size_t k = 0; k < o->n_allow; k++) {
		if (strcmp(o->allow[k], name) == 0)
			return true;
	}
	return false;
}

/* V-70, V-71 */
static void check_imports(const struct wv_module *m, const struct ward_verify_options *o, struct wv_sink *sink)
{
	for (uint32_t i = 0; i < m->n_imports; i++) {
		const char *name = m->import[i].name;
		const struct wv_signature *sig = wv_signature(m->import[i].id);
		if (!sig)
			wv_report(sink, WARD_RULE_IMPORT_TYPE, 0, "import-unknown",
				"the module wants the import `%.80s`, which import.def does not have", name);
		else if (!(sig->profiles >> m->profile & 1))
			wv_report(sink, WARD_RULE_IMPORT_TYPE, 0, "import-not-in-profile",
				"the module wants the import `%.80s`, which the %s profile does not have", name,
				m->profile == WARD_PROFILE_KERNEL ? "kernel" : "user");
		else if (!import_is_allowed(o, name))
			wv_report(sink, WARD_RULE_IMPORT, 0, "import-not-allowed",
				"the module wants the import `%.80s`, which was not allowed", name);
	}
}

/* V-13, of the features that need permission */
static void check_features(const struct wv_module *m, const struct ward_verify_options *o, struct wv_sink *sink)
{
	static const struct {
		uint32_t bit;
		bool allowed;
	} features[] = {
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) {bit, allowed},
#include "ward/feature.def"
#undef FEATURE
	};
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		const char *name = ward_feature_name(features[i].bit);
		if ((m->features & features[i].bit) && !features[i].allowed && !import_is_allowed(o, name))
			wv_report(sink, WARD_RULE_FEATURE, 0, "feature-not-granted",
				"the module wants the processor's `%s`, which was not allowed", name);
	}
}

/* ---- the stages ---- */

static bool verify_parsed(
	const struct wv_module *m, const struct ward_verify_options *o, struct wv_sink *sink, struct holder *h)
{
	struct wv_check c = {.module = m, .sink = sink, .max_insns = o->max_insns, .max_stack = o->max_stack};
	size_t proof_size = (wv_proof_arena(m) + 15) & ~(size_t)15;
	uint8_t *arena = malloc(proof_size + wv_check_arena(m));
	bool memory = arena && make_room(h, m);
	if (!memory) {
		free(arena);
		return false;
	}
	check_imports(m, o, sink);
	check_features(m, o, sink);
	if (wv_proof_parse(&c.proof, m, arena, sink)) {
		wv_check_init(&c, arena + proof_size);
		wv_sweep(&c);
		if (sink->count == 0)
			wv_sum(&c);
		if (sink->count == 0)
			gather_entries(&c, h);
		if (sink->count == 0 && m->profile == WARD_PROFILE_KERNEL)
			memory = wv_find_exits(m, &h->exits);
		if (sink->count == 0 && memory) {
			module_facts(&c, h);
			h->verdict.accepted = true;
		}
		size_t kept =
			h->verdict.n_violations < WARD_MAX_VIOLATIONS ? h->verdict.n_violations : WARD_MAX_VIOLATIONS;
		if (kept && o->explain)
			wv_find_origins(&c, h->described->violation, kept);
	}
	free(arena);
	return memory;
}

/*
 * A caller built against an older header has fewer fields, which are zero; one built against a newer header may want
 * what isn't checked here.
 */
static bool read_options(const struct ward_verify_options *given, struct ward_verify_options *o)
{
	enum { MOST = 4096 }; /* more is no size */

	*o = (struct ward_verify_options){0};
	if (given && (given->size < sizeof given->size || given->size > MOST))
		return false;
	for (size_t i = sizeof *o; given && i < given->size; i++)
		if (((const uint8_t *)given)[i])
			return false;
	if (given)
		memcpy(o, given, given->size < sizeof *o ? given->size : sizeof *o);
	o->size = sizeof *o;
	for (size_t i = 0; i < o->n_allow; i++)
		if (!o->allow || !o->allow[i])
			return false;
	if (!o->max_insns)
		o->max_insns = WARD_DEFAULT_MAX_INSNS;
	if (!o->max_stack)
		o->max_stack = WARD_DEFAULT_MAX_STACK;
	if (o->max_stack > WARD_STACK_CEILING)
		o->max_stack = WARD_STACK_CEILING;
	if (!o->max_state)
		o->max_state = 1u << 28;
	return true;
}

struct ward_verdict *ward_verify(const void *file, size_t size, const struct ward_verify_options *options)
{
	struct ward_verify_options o;
	if (!read_options(options, &o) || (size && !file)) {
		errno = EINVAL;
		return NULL;
	}
	struct holder *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	struct wv_sink sink = {.report = violation_collect, .user = h};
	struct wv_module m;
	bool memory = !wv_module_parse(&m, file, size, o.max_state, &sink) || verify_parsed(&m, &o, &sink, h);
	if (!memory || h->no_memory) {
		ward_verdict_free(&h->verdict);
		return NULL;
	}
	/* Fail closed: what the sink counted decides, whatever became of the details. */
	if (sink.count)
		h->verdict.accepted = false;
	return &h->verdict;
}

bool wv_watch(
	const void *file, size_t size, const struct ward_verify_options *options, const struct wv_watcher *watcher)
{
	struct ward_verify_options o;
	struct wv_sink sink = {0};
	struct wv_module m;
	if (!read_options(options, &o) || !wv_module_parse(&m, file, size, o.max_state, &sink))
		return true;
	struct wv_check c = {
		.module = &m, .watcher = watcher, .sink = &sink, .max_insns = o.max_insns, .max_stack = o.max_stack};
	size_t proof_size = (wv_proof_arena(&m) + 15) & ~(size_t)15;
	uint8_t *arena = malloc(proof_size + wv_check_arena(&m));
	if (!arena)
		return false;
	if (wv_proof_parse(&c.proof, &m, arena, &sink)) {
		wv_check_init(&c, arena + proof_size);
		wv_sweep(&c);
	}
	free(arena);
	return true;
}

void ward_verdict_free(struct ward_verdict *verdict)
{
	struct holder *h = (struct holder *)verdict; /* its first member */
	if (!h)
		return;
	free(h->described);
	free(h->entries);
	free(h->strings);
	free(h->exits.v);
	free(h);
}
