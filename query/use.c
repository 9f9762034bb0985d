/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Use("sketch.c", x, …): an aggregate that is written in C. The file has struct sketch, and sketch_add(struct sketch *,
 * …), which takes an event's values in. The struct is kept of each group, like a ward_stat, and merged by the types
 * that its members have; they are the results. The file is a part of the probe, and proven with it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emitter.h"
#include "fields.h"

/* ---- in the plan ---- */

/* "lib/sketch.c" has struct sketch. NULL: it isn't called as a struct may be, or as one that probes have. */
static const char *struct_name(struct chain *c, const char *path)
{
	static const char *const taken[] = {"key", "kept", "row", "first", "pair", "windowed", "window_key"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name);

	if (n < 3 || strcmp(name + n - 2, ".c") != 0 || n > 64 || isdigit((unsigned char)name[0]) ||
		strncmp(name, "ward", 4) == 0)
		return NULL;
	for (size_t i = 0; i < n - 2; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return NULL;
	name = query_copy(c->r->maker.arena, name, n - 2);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strcmp(name, taken[i]) == 0)
			return NULL;
	return name;
}

static const struct query_use_file *read_file(struct chain *c, struct node *n, size_t n_args)
{
	struct query_use_file *file = chain_alloc(c, sizeof(*file));
	struct expr *path = resolve(c->r, n->args, NULL, NULL);

	*file = (struct query_use_file){.n_args = (unsigned)n_args, .is_kernel = c->plan->sites[0].is_kernel};
	if (chain_failed(c))
		return NULL;
	file->path = path->kind == EXPR_TEXT ? path->text : "";
	file->name = struct_name(c, file->path);
	if (!file->name)
		query_fail(c->r->maker.err, n->args->span,
			"Use(\"sketch.c\", arg2): it has struct sketch, and sketch_add",
			"an aggregate's file is called as its struct is");
	return file->name ? file : NULL;
}

/* Values of an event that it takes. */
static bool read_values(struct chain *c, struct node *n, struct plan_use *use)
{
	for (struct node *arg = n->args->next; arg; arg = arg->next) {
		struct expr *of = resolve_of(c->r, arg, c->element, c->lets);

		if (chain_failed(c))
			return false;
		if (!is_numeric(of->type)) {
			query_fail(c->r->maker.err, arg->span, "of a number or a duration",
				"%s of what? %s is no number", n->name,
				of->type.kind == TYPE_EVENT ? "An event" : type_name(of->type));
			return false;
		}
		use->args[use->n_args++] = of;
	}
	if (use->n_args)
		return true;
	query_fail(c->r->maker.err, n->span, "Use(\"sketch.c\", arg2)", "Use of which values?");
	return false;
}

static const struct query_used *find_used(struct chain *c, struct node *n, const struct plan_use *use)
{
	const struct query_options *o = &c->r->query->options;
	const struct query_used *has = NULL;
	const char *why = NULL;

	for (size_t i = 0; i < c->plan->n_uses && !has; i++)
		if (strcmp(c->plan->uses[i].file->path, use->file->path) == 0 && c->plan->uses[i].n_args == use->n_args)
			has = c->plan->uses[i].has;
	if (!has && o->use)
		has = o->use(o->module_user, use->file, &why);
	if (!has)
		query_fail(c->r->maker.err, n->span, NULL, "the aggregate %.100s can't be used%s%s", use->file->path,
			why ? ": " : "", why ? why : "");
	return has;
}

/* What is kept of it: a result for each member of its struct. */
static struct expr *keep_members(struct chain *c, const struct plan_use *use, size_t number, struct query_span at)
{
	struct plan *p = c->plan;
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), at);
	struct field_columns columns = {c, at, &record->members};

	record->in_final = true;
	for (size_t i = 0; i < use->has->n && !chain_failed(c); i++)
		if (field_keep(&columns, &use->has->fields[i], i)) {
			p->keeps[p->n_keeps - 1].use = number + 1;
			p->keeps[p->n_keeps - 1].member = use->has->fields[i].name;
		}
	if (!record->members)
		query_fail(c->r->maker.err, at, "ward_count, ward_stat, ward_log2, WARD_HLL(10)",
			"struct %s has no member that a row can have", use->file->name);
	return record;
}

struct expr *make_use(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	struct plan_use use = {.first = p->n_keeps};
	struct expr *nothing = expr_number(&c->r->maker, TYPE_LONG, 0, n->span);

	if (p->n_uses == PLAN_USES) {
		query_fail(c->r->maker.err, n->at, NULL, "more than %d aggregates in C", PLAN_USES);
		return nothing;
	}
	if (!read_values(c, n, &use) || !(use.file = read_file(c, n, use.n_args)) || !(use.has = find_used(c, n, &use)))
		return nothing;
	p->uses[p->n_uses] = use;
	return keep_members(c, &use, p->n_uses++, n->span);
}

/* ---- in the probe's source ---- */

/* The struct of several is the same. */
static bool is_repeated(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (p->uses[k].has == p->uses[i].has)
			return true;
	return false;
}

static void write_file(const struct query_use_file *file, const char *text, FILE *out)
{
	fputs("#line 1 \"", out);
	for (const char *at = file->path; *at; at++)
		fputc(*at == '"' || *at == '\\' || (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at, out);
	fprintf(out, "\"\n%s\n", text);
}

void emit_use_files(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	for (size_t i = 0; i < p->n_uses; i++)
		if (!is_repeated(p, i))
			write_file(p->uses[i].file, p->uses[i].has->text, e->out);
	if (p->n_uses)
		fputs("#line 1 \"the probe\"\n", e->out);
}

char *query_use_probe(const struct query_use_file *file, const char *text)
{
	char *probe = NULL;
	size_t size;
	FILE *out = open_memstream(&probe, &size);

	if (!out)
		return NULL;
	fprintf(out, "/* Written by ward query. */\n%s#include <ward/query.h>\n\n",
		file->is_kernel ? "#define WARD_QUERY_KERNEL\n" : "");
	write_file(file, text, out);
	fprintf(out,
		"#line 1 \"the probe\"\nstruct ward_state {\n\tstruct %s use;\n};\n\nWARD_ENTRY(\"%s\")\n"
		"void on_event(const struct ward_event *ev, struct ward_state *st)\n{\n\t%s_add(&st->use",
		file->name, file->is_kernel ? "kernel!vfs_read" : "use!use", file->name);
	for (unsigned i = 0; i < file->n_args; i++)
		fprintf(out, ", ev->arg[%u]", i);
	fputs(");\n}\n", out);
	if (fclose(out) == 0)
		return probe;
	free(probe);
	return NULL;
}

void emit_use_member(struct emitter *e, size_t i)
{
	fprintf(e->out, "\tstruct %s use%zu;\n", e->q->plan.uses[i].file->name, i);
}

static bool is_signed(const struct expr *e)
{
	return e->type.kind == TYPE_INT && e->type.is_signed;
}

void emit_use_values(struct emitter *e, size_t i)
{
	const struct plan_use *use = &e->q->plan.uses[i];

	for (size_t k = 0; k < use->n_args; k++) {
		const struct expr *of = use->args[k];

		emit_line(e, of->span);
		emit_blocks(e, of);
		fprintf(e->out, "\tconst %s use%zu_%zu = ", c_type(is_signed(of)), i, k);
		emit_value(e, is_signed(of), of);
		fputs(";\n", e->out);
	}
}

void emit_use_update(struct emitter *e, size_t i, const char *at)
{
	const struct plan_use *use = &e->q->plan.uses[i];

	fprintf(e->out, "\t%s_add(&%suse%zu", use->file->name, at, i);
	for (size_t k = 0; k < use->n_args; k++)
		fprintf(e->out, ", use%zu_%zu", i, k);
	fputs(");\n", e->out);
}

bool uses_divide(const struct plan *p)
{
	for (size_t i = 0; i < p->n_uses; i++)
		for (size_t k = 0; k < p->uses[i].n_args; k++)
			if (may_divide_by_zero(p->uses[i].args[k]))
				return true;
	return false;
}

/* ---- as the reader has it ---- */

/* The number behind a prefix; the rest of the name. NULL: there is none. */
static const char *number_behind(const char *name, const char *prefix, size_t *number)
{
	size_t n = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, n) != 0 || !isdigit((unsigned char)name[n]))
		return NULL;
	*number = strtoul(name + n, &end, 10);
	return end;
}

bool query_result_named(const struct query *q, const char *name, size_t *result)
{
	const struct plan *p = &q->plan;
	size_t number;
	const char *rest = number_behind(name, "keep", &number);

	*result = number;
	if (rest)
		return *rest == 0 && number < p->n_keeps && !p->keeps[number].use;
	rest = number_behind(name, "use", &number);
	if (!rest || *rest != '.')
		return false;
	for (*result = 0; *result < p->n_keeps; ++*result)
		if (p->keeps[*result].use == number + 1 && strcmp(p->keeps[*result].member, rest + 1) == 0)
			break;
	return true;
}
