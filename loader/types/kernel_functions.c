/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions, tracepoints and system calls of the running kernel. Functions and tracepoints have prototypes in BTF. A
 * tracepoint has a row as well, in tracefs: what the kernel's own tracers write down of its arguments. A field that is
 * called ARGUMENT_MEMBER and is as large as that member of what the argument leads to is that member; others may be
 * computed, so they aren't known here. A system call has its parameters in tracefs alone (kernel_rows.c).
 */
#include "functions.h"

#include "loader/base/error.h"
#include "loader/kernel/arguments.h"
#include "btf_types.h"
#include "kernel_rows.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One reader for each BTF: the kernel's, and those of modules. */
struct kernel_search {
	struct wl_karguments types;
	struct btf_reader *readers;
	size_t n_readers;
	struct table *table;
};

static struct btf_reader *reader_of(struct kernel_search *s, const struct wl_btf *btf)
{
	struct btf_reader *v;

	for (size_t i = 0; i < s->n_readers; i++)
		if (s->readers[i].btf == btf)
			return &s->readers[i];
	v = reallocarray(s->readers, s->n_readers + 1, sizeof(*v));
	if (!v)
		return NULL;
	s->readers = v;
	v[s->n_readers] = (struct btf_reader){.btf = btf, .table = s->table};
	return &v[s->n_readers++];
}

static void set_type_text(struct btf_reader *r, uint32_t number, const char *name, uint32_t *text)
{
	char declaration[1024];

	if (wl_btf_declare(r->btf, number, name, declaration, sizeof(declaration)))
		*text = table_text(r->table, declaration);
	else
		*text = table_text(r->table, name);
}

/* The parameters from one on. */
static void add_prototype(
	struct btf_reader *r, const struct btf_type *prototype, unsigned first, struct table_function *f)
{
	const struct btf_param *v = (const struct btf_param *)(prototype + 1);
	unsigned n = BTF_INFO_VLEN(prototype->info);

	f->first = r->table->lists[LIST_PARAMETERS].n;
	f->returns = btf_type_number(r, prototype->type);
	set_type_text(r, prototype->type, "", &f->returns_text);
	for (unsigned i = first; i < n && v[i].type; i++) {
		const char *name = wl_btf_name(r->btf, v[i].name_off);
		struct table_parameter p = {.name = table_text(r->table, name), .place = -1}, *added;

		p.type = btf_type_number(r, v[i].type);
		set_type_text(r, v[i].type, name, &p.declaration);
		added = table_add(r->table, LIST_PARAMETERS);
		if (!added)
			break;
		*added = p;
		f->n++;
	}
	places_find(r->table, f->first, f->n, f->returns, (struct place_call){.is_c = true}, NULL);
}

/* The member of that name and size of what a pointer leads to? */
static bool has_member(const struct table *t, uint32_t pointer, const char *name, uint64_t size)
{
	const struct table_type *at = table_type(t, table_type(t, pointer)->of);

	for (uint32_t i = 0; at->kind == WARD_TYPE_STRUCTURE && i < at->n; i++) {
		const struct table_member *m =
			(const struct table_member *)t->lists[LIST_MEMBERS].bytes + at->first + i;

		if (strcmp(table_string(t, m->name), name) == 0)
			return !m->bits && table_type(t, m->type)->size == size;
	}
	return false;
}

/* A field of a row as the member of one of the n arguments. */
static bool add_field(struct table *t, uint32_t first, uint32_t n, const struct row_field *field)
{
	for (uint32_t i = 0; i < n; i++) {
		struct table_parameter argument = *table_parameter(t, first + i), p, *added;
		const char *name = table_string(t, argument.name), *member = field->name + strlen(name) + 1;

		if (!*name || argument.place < 0 || table_type(t, argument.type)->kind != WARD_TYPE_POINTER ||
			strncmp(field->name, name, strlen(name)) != 0 || field->name[strlen(name)] != '_' ||
			!has_member(t, argument.type, member, field->size))
			continue;
		p = (struct table_parameter){.name = table_text(t, field->name),
			.declaration = table_text(t, field->declaration),
			.type = argument.type,
			.place = argument.place,
			.member = table_text(t, member)};
		added = table_add(t, LIST_PARAMETERS);
		if (added)
			*added = p;
		return added != NULL;
	}
	return false;
}

static void add_row(struct table *t, const char *event, struct table_function *f)
{
	struct row_field fields[ROW_FIELDS];
	char *format = row_read(event, NULL);
	size_t n = format ? row_parse(format, fields, ROW_FIELDS) : 0;
	uint32_t arguments = f->n;

	for (size_t i = 0; i < n; i++) {
		bool is_argument = false;

		for (uint32_t k = 0; k < arguments; k++)
			is_argument |=
				strcmp(table_string(t, table_parameter(t, f->first + k)->name), fields[i].name) == 0;
		if (!is_argument && add_field(t, f->first, arguments, &fields[i]))
			f->n++;
	}
	free(format);
}

/* A system call's parameters are words of 64 bits in their order, of types that their texts name. */
static bool add_call(struct kernel_search *s, const struct wl_ksym *sym, struct table_function *f)
{
	const struct wl_btf *btf = wl_ktypes(&s->types, "");
	struct btf_reader *r = btf ? reader_of(s, btf) : NULL;
	struct row_field fields[ROW_FIELDS];
	char *format = row_read(sym->name, "sys_enter_");
	size_t n = format && r ? row_parse(format, fields, ROW_FIELDS) : 0;
	uint32_t word = n ? row_type(r, "long") : 0;
	int32_t place = 0;

	f->first = s->table->lists[LIST_PARAMETERS].n;
	f->returns = word;
	f->returns_text = table_text(s->table, "long");
	for (size_t i = 0; i < n; i++) {
		struct table_parameter p = {.place = place}, *added;

		if (strcmp(fields[i].name, "__syscall_nr") == 0 || place == TABLE_ARGUMENTS)
			continue;
		p.name = table_text(s->table, fields[i].name);
		p.declaration = table_text(s->table, fields[i].declaration);
		p.type = row_type(r, fields[i].type);
		added = table_add(s->table, LIST_PARAMETERS);
		if (!added)
			break;
		*added = p;
		place++;
		f->n++;
	}
	free(format);
	return n > 0;
}

static const char *add_symbol(
	struct kernel_search *s, const struct wl_ksym *sym, enum wl_kwhere where, struct table_function *f)
{
	const struct wl_btf *btf;
	const struct btf_type *prototype = wl_kprototype(&s->types, sym, where, &btf);
	struct btf_reader *r;

	if (sym->call)
		return add_call(s, sym, f) ? NULL : "tracefs doesn't show its arguments";
	if (!prototype)
		return sym->several ? "the kernel has several functions of this name"
				    : "the kernel's types (BTF) don't describe it";
	r = reader_of(s, btf);
	if (!r)
		return "out of memory";
	add_prototype(r, prototype, where == WL_KPOINT, f);
	btf_types_read(r);
	if (where == WL_KPOINT)
		add_row(s->table, sym->name, f);
	return NULL;
}

static int add_site(struct kernel_search *s, const char *text, struct ward_error *err)
{
	struct wl_ksyms syms = {0};
	enum wl_kwhere where;
	char *glob = NULL;
	int rc = wl_ksite_parse(text, &glob, &where, err);

	if (rc == 0)
		rc = wl_ksite_read(glob, where, false, &syms, err);
	if (rc == 0 && syms.n == 0)
		rc = wl_ksite_no_match(text, where, err);
	for (size_t i = 0; rc == 0 && i < syms.n; i++) {
		struct table_function f = {.asked = 0}, *added;
		char label[WL_KSITE_LABEL];

		wl_ksite_label(label, &syms.v[i], wl_ksite_where(&syms.v[i], where));
		f.why = table_text(s->table, add_symbol(s, &syms.v[i], where, &f));
		f.site = table_text(s->table, label);
		added = table_add(s->table, LIST_FUNCTIONS);
		if (!added)
			break;
		*added = f;
	}
	wl_ksyms_free(&syms);
	free(glob);
	return rc;
}

int types_of_kernel(const char *const *sites, size_t n, struct table *t, struct ward_error *err)
{
	struct kernel_search s = {.types = {.folder = wl_kbtf_folder}, .table = t};
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_site(&s, sites[i], err);
	for (size_t i = 0; i < s.n_readers; i++) {
		btf_types_read(&s.readers[i]);
		btf_types_free(&s.readers[i]);
	}
	free(s.readers);
	wl_karguments_free(&s.types);
	return rc;
}
