/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row is described by lines as
 *
 *	field:const char * filename;	offset:24;	size:8;	signed:0;
 *
 * of which the first ones are the same for all events. A type is a text there; it is looked up by name among the
 * kernel's types, as far as it is a word, a structure, or a pointer to one of them.
 */
#include "kernel_rows.h"

#include "loader/kernel/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *row_read(const char *event, const char *prefix)
{
	char path[WL_KEVENT_NAME + 40], system[WL_KEVENT_NAME];
	const char *colon = strchr(event, ':'), *name = colon ? colon + 1 : event;
	const char *call = prefix && strncmp(name, "sys_", 4) == 0 ? strchr(name + 4, '_') : NULL;

	snprintf(system, sizeof(system), "%.*s", colon ? (int)(colon - event) : 0, event);
	snprintf(path, sizeof(path), "events/%s/%s%s/format", system, call ? prefix : "", call ? call + 1 : name);
	return wl_read_tracing(path);
}

/* "field:const char * filename", into its parts. False: it is none. */
static bool parse_field(const char *text, struct row_field *f)
{
	const char *end = text + strlen(text), *name = end, *array = strchr(text, '[');
	size_t n;

	*f = (struct row_field){.size = 0};
	if (array && array > text) /* "char prev_comm[16]" */
		end = array;
	for (name = end; name > text && name[-1] != ' '; name--)
		;
	if (name == text || name == end || (size_t)(end - name) >= sizeof(f->name) || strlen(text) >= ROW_TEXT)
		return false;
	memcpy(f->name, name, (size_t)(end - name));
	n = (size_t)(name - text);
	while (n && text[n - 1] == ' ')
		n--;
	memcpy(f->type, text, n);
	/* a star is beside the name, as C is written */
	snprintf(f->declaration, sizeof(f->declaration), "%.*s%s%s", (int)n, text, n && text[n - 1] == '*' ? "" : " ",
		name);
	return true;
}

size_t row_parse(char *format, struct row_field *fields, size_t most)
{
	size_t n = 0;
	char *line;

	while ((line = wl_next_line(&format)) && n < most) {
		char *at = strstr(line, "field:"), *size = strstr(line, "size:"), *end;

		if (!at || !size)
			continue;
		at += strlen("field:");
		end = strchr(at, ';');
		if (!end)
			continue;
		*end = 0;
		if (!parse_field(at, &fields[n]) || strncmp(fields[n].name, "common_", 7) == 0)
			continue;
		fields[n].size = strtoul(size + strlen("size:"), NULL, 10);
		n++;
	}
	return n;
}

/* As BTF has them. */
static const char *usual_name(const char *name)
{
	static const char *const names[][2] = {{"long", "long int"}, {"unsigned long", "long unsigned int"},
		{"unsigned", "unsigned int"}, {"short", "short int"}, {"unsigned short", "short unsigned int"},
		{"long long", "long long int"}, {"unsigned long long", "long long unsigned int"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i][0], name) == 0)
			return names[i][1];
	return name;
}

static uint32_t type_named(struct btf_reader *r, const char *name, bool is_structure)
{
	const struct wl_btf *b = r->btf;

	name = usual_name(name);
	for (uint32_t i = 0; i < b->n_types; i++) {
		const struct btf_type *type = wl_btf_type(b, b->first_type + i);
		unsigned kind = wl_btf_kind(type);
		bool fits = is_structure ? wl_btf_is_composite(type)
					 : kind == BTF_KIND_INT || kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_ENUM;

		if (fits && strcmp(wl_btf_name(b, type->name_off), name) == 0)
			return b->first_type + i;
	}
	return 0;
}

/* Cut words before the type that don't change it, and blanks behind it. */
static char *trim(char *text)
{
	static const char *const words[] = {"const ", "volatile "};
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		text[--n] = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			return trim(text + strlen(words[i]));
	return text;
}

uint32_t row_type(struct btf_reader *r, const char *text)
{
	char copy[ROW_TEXT], *name = copy, *star;
	struct table_type *pointer;
	uint32_t number, below = 0;
	bool is_structure;

	snprintf(copy, sizeof(copy), "%s", text);
	star = strrchr(copy, '*');
	if (star)
		*star = 0;
	name = trim(copy);
	is_structure = strncmp(name, "struct ", 7) == 0 || strncmp(name, "union ", 6) == 0;
	if (is_structure)
		name = strchr(name, ' ') + 1;
	if (!strchr(name, '*') && strcmp(name, "void") != 0) {
		number = type_named(r, name, is_structure);
		below = number ? btf_type_number(r, number) : 0;
	}
	if (!star)
		return below;
	pointer = table_add(r->table, LIST_TYPES);
	if (!pointer)
		return 0;
	pointer->kind = WARD_TYPE_POINTER;
	pointer->size = 8;
	pointer->of = below;
	return r->table->lists[LIST_TYPES].n - 1;
}
