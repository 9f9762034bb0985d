/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe("file.c"): the module of a probe that a query's text names. It is compiled before the query is planned, as the
 * plan is of what its state has; the same module is attached then.
 */
#include <stdlib.h>
#include <string.h>

#include "query_command.h"

enum { ANY_STATE = 1 << 30 }; /* no state is larger, so the schema fits */

static bool add_flags(const struct query_module_file *file, struct string_list *flags)
{
	for (size_t i = 0; i < file->n_defines; i++)
		if (!list_add(flags, "-D") || !list_add(flags, file->defines[i]))
			return false;
	return true;
}

static int module_load(struct query_command *c, const struct query_module_file *file)
{
	struct trace *t = &c->trace;
	struct string_list flags = {0};
	struct cli_make make = {.kernel = file->is_kernel, .limits = &t->limits.options};
	int status = CLI_OK;

	limits_for(&t->limits, file->is_kernel);
	if (!cli_has_suffix(file->path, ".c"))
		return cli_load_module(file->path, &make, &c->module_bytes);
	if (!add_flags(file, &flags))
		status = cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	make.flags = flags.at;
	make.n_flags = flags.n;
	if (status == CLI_OK)
		status = cli_load_module(file->path, &make, &c->module_bytes);
	free(flags.at);
	return status;
}

/* Its fields, as a snapshot of no threads has them: with the parts of maps and rings. */
static bool read_fields(struct query_command *c, struct ward_error *err)
{
	size_t n;
	struct ward_field *fields;

	if (ward_schema_read(c->module_bytes.data, c->module_bytes.size, &c->module_schema, err) != WARD_OK ||
		ward_snapshot_merge(c->module_schema, NULL, 0, ANY_STATE, &c->module_fields, err) != WARD_OK)
		return false;
	n = ward_snapshot_fields(c->module_fields);
	fields = calloc(n + 1, sizeof(*fields));
	for (size_t i = 0; fields && i < n; i++)
		fields[i] = *ward_snapshot_field(c->module_fields, i);
	c->module = (struct query_module){fields, fields ? n : 0};
	return fields != NULL;
}

const struct query_module *query_module_read(void *user, const struct query_module_file *file, const char **why)
{
	struct query_command *c = user;
	struct ward_error err = {0};

	if (module_load(c, file) != CLI_OK) {
		*why = "see above";
		return NULL;
	}
	if (read_fields(c, &err))
		return &c->module;
	snprintf(c->types_why, sizeof(c->types_why), "%s", *err.why ? err.why : "out of memory");
	*why = c->types_why;
	return NULL;
}

void query_module_hook(struct query_command *c)
{
	const struct query_module_file *file = query_module_of(c->query);
	struct trace *t = &c->trace;

	t->module = c->module_bytes; /* which the command frees */
	c->module_bytes = (struct cli_bytes){0};
	cli_clock_start(&t->start);
	t->probe = file->path;
	t->site = file->n_sites ? file->sites[0] : NULL;
	t->more_sites = file->n_sites > 1 ? malloc(file->n_sites * sizeof(*t->more_sites)) : NULL;
	for (size_t i = 1; t->more_sites && i < file->n_sites; i++)
		t->more_sites[t->n_more_sites++] = file->sites[i];
	for (size_t i = 0; i < file->n_defines; i++)
		list_add(&t->settings, file->defines[i]);
}

void query_module_free(struct query_command *c)
{
	ward_snapshot_free(c->module_fields);
	ward_schema_free(c->module_schema);
	free((struct ward_field *)c->module.fields);
	free(c->module_bytes.data);
}
