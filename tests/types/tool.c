/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-types-tool (PID | FILE | --kernel) SITE…: the types of these functions, as text: each parameter with the
 * argument that it is, then what structures and enumerations it leads to, as far as three pointers away.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ward/types.h"

static void print_type(const struct ward_types *t, uint32_t i, int depth)
{
	static const char *const kinds[] = {
		"unknown", "void", "bool", "int", "real", "enum", "pointer", "struct", "array", "other"};
	const struct ward_type *type = &t->types[i];

	printf("%s", type->is_union ? "union" : kinds[type->kind]);
	if (*type->name && type->kind != WARD_TYPE_POINTER)
		printf(" %s", type->name);
	if (type->kind == WARD_TYPE_INT || type->kind == WARD_TYPE_ENUMERATION)
		printf(" %c%" PRIu64, type->is_char ? 'c' : type->is_signed ? 'i' : 'u', type->size * 8);
	else if (type->kind == WARD_TYPE_STRUCTURE)
		printf(" of %" PRIu64, type->size);
	if (type->is_incomplete)
		printf(" incomplete");
	if (depth == 0)
		return;
	if (type->kind == WARD_TYPE_ARRAY)
		printf(" of %" PRIu32, type->n);
	if (type->kind == WARD_TYPE_POINTER || type->kind == WARD_TYPE_ARRAY) {
		printf(" (");
		print_type(t, type->of, depth - 1);
		printf(")");
	}
	for (uint32_t k = 0; k < type->n && type->kind == WARD_TYPE_ENUMERATION; k++)
		printf("%s%s=%" PRId64, k ? ", " : " {", t->enumerators[type->first + k].name,
			(int64_t)t->enumerators[type->first + k].value);
	for (uint32_t k = 0; k < type->n && type->kind == WARD_TYPE_STRUCTURE; k++) {
		const struct ward_type_member *m = &t->members[type->first + k];

		printf("%s%s@%" PRIu64, k ? ", " : " {", m->name, m->offset);
		if (m->bits)
			printf(":%" PRIu32, m->bits);
		printf(" ");
		print_type(t, m->type, depth - 1);
	}
	if ((type->kind == WARD_TYPE_ENUMERATION || type->kind == WARD_TYPE_STRUCTURE) && type->n)
		printf("}");
}

static void print_function(const struct ward_types *t, const struct ward_function_types *f)
{
	if (f->why) {
		printf("%s: no: %s\n", f->site, f->why);
		return;
	}
	printf("%s: %s: ", f->site, f->returns_text);
	print_type(t, f->returns, 1);
	printf("\n");
	for (uint32_t i = 0; i < f->n; i++) {
		const struct ward_parameter *p = &t->parameters[f->first + i];

		printf("  %s: %s: ", p->name, p->declaration);
		if (p->place < 0)
			printf("no: %s", p->why);
		else
			printf("arg%d", (int)p->place);
		printf("%s%s: ", p->member ? "->" : "", p->member ? p->member : "");
		print_type(t, p->type, p->member ? 1 : 3);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	const char *const *sites = (const char *const *)(argv + 2);
	struct ward_types *types;
	struct ward_error err;
	size_t n = (size_t)argc - 2;
	int rc;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "--kernel") == 0)
		rc = ward_types_read_kernel(sites, n, &types, &err);
	else if (strchr(argv[1], '/'))
		rc = ward_types_read_file(argv[1], sites, n, &types, &err);
	else
		rc = ward_types_read((pid_t)atol(argv[1]), sites, n, &types, &err);
	if (rc) {
		printf("error %d: %s: %s\n", rc, err.what, err.why);
		return rc;
	}
	for (size_t i = 0; i < types->n_functions; i++)
		print_function(types, &types->functions[i]);
	ward_types_free(types);
	return 0;
}
