/* SPDX-License-Identifier: Apache-2.0 */
/* Print what a state holds as a table. Elements of an array share a line: `name[0..9].member`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Elements of an array, or one member of each: fields whose names differ in the index only, which counts up. */
struct elements {
	struct ward_field first;
	uint64_t last;  /* index, if it has one */
	size_t at, end; /* of the index in the name */
	size_t n;
	bool is_listed; /* with an earlier one */
};

/* The first index in a name. */
static bool find_index(const char *name, size_t *at, size_t *end, uint64_t *index)
{
	const char *open = strchr(name, '[');
	char *behind;

	if (!open || open[1] < '0' || open[1] > '9')
		return false;
	*index = strtoull(open + 1, &behind, 10);
	*at = (size_t)(open + 1 - name);
	*end = (size_t)(behind - name);
	return *behind == ']';
}

/* Is it the element behind the last one of these? */
static bool goes_on(const struct elements *e, const struct ward_field *f)
{
	size_t at, end;
	uint64_t index;

	return find_index(f->name, &at, &end, &index) && at == e->at && index == e->last + 1 &&
	       strncmp(f->name, e->first.name, at) == 0 && strcmp(f->name + end, e->first.name + e->end) == 0 &&
	       f->kind == e->first.kind && f->size == e->first.size && f->slots == e->first.slots;
}

/* The fields of a state, elements of an array together. Returns how many these are. */
static size_t gather_fields(const ward_schema *schema, size_t n, struct elements *all)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct elements){.first = ward_schema_field(schema, i), .n = 1};
	for (size_t i = 0; i < n; i++) {
		struct elements e = all[i];

		if (e.is_listed)
			continue;
		if (find_index(e.first.name, &e.at, &e.end, &e.last))
			for (size_t k = i + 1; k < n; k++)
				if (goes_on(&e, &all[k].first)) {
					all[k].is_listed = true;
					e.last++;
					e.n++;
				}
		all[lines++] = e;
	}
	return lines;
}

/* `name[0..9].member`, for several. Returns the length; f may be NULL. */
static int print_name(FILE *f, const struct elements *e)
{
	char range[24] = "";
	int until = (int)(e->n > 1 ? e->end : strlen(e->first.name)), len = until;

	if (e->n > 1) {
		len += snprintf(range, sizeof(range), "..%" PRIu64, e->last);
		len += (int)strlen(e->first.name + e->end);
	}
	if (f)
		fprintf(f, "%.*s%s%s", until, e->first.name, range, e->n > 1 ? e->first.name + e->end : "");
	return len;
}

int cli_print_state_table(const ward_schema *schema, size_t n)
{
	struct elements *all = calloc(n + 1, sizeof(*all));
	size_t lines;
	int widest = 5;

	if (!all)
		return cli_error(CLI_USAGE, "info", NULL, "out of memory");
	lines = gather_fields(schema, n, all);
	for (size_t i = 0; i < lines; i++) {
		int len = print_name(NULL, &all[i]);
		widest = len > widest ? len : widest;
	}
	if (n)
		printf("\n%-*s  %-9s  %8s\n", widest, "FIELD", "KIND", "BYTES");
	else
		printf(ward_schema_is_described(schema) ? "\nthe state has no members to show\n"
							: "\nno description of the state: results can't be shown\n");
	for (size_t i = 0; i < lines; i++) {
		const struct ward_field *f = &all[i].first;
		int len = print_name(stdout, &all[i]);

		printf("%*s  %-9s  %8" PRIu64, widest - len, "", ward_kind(f->kind)->name,
			(uint64_t)f->size * all[i].n);
		if (f->slots)
			printf("  %" PRIu32 " %s", f->slots, f->kind == WARD_FIELD_ARRAY ? "elements" : "slots");
		putchar('\n');
	}
	free(all);
	return CLI_OK;
}
