/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the state that can't be shown: warnings at their lines when a probe is compiled, and rows of results. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "verifier/tool/lines.h"

/* The source that the module was compiled from just now and that has this true path, as the user wrote it; or NULL. */
static const char *find_source(const char *path, const struct cli_make *make, const char *file)
{
	for (size_t i = 0; i <= make->n_more_sources; i++) {
		const char *name = i ? make->more_sources[i - 1] : path;
		char *whole = cli_has_suffix(name, ".c") ? realpath(name, NULL) : NULL;
		bool same = whole && strcmp(whole, file) == 0;
		free(whole);
		if (same)
			return name;
	}
	return NULL;
}

static void print_warning(const char *path, const struct cli_make *make, const struct ward_unshown *u)
{
	char *directory = getcwd(NULL, 0);
	const char *source = find_source(path, make, u->file);
	cli_print_clean(stderr, source ? source : *u->file ? lines_relative(u->file, directory) : path);
	if (u->line)
		fprintf(stderr, ":%" PRIu32, u->line);
	if (u->column)
		fprintf(stderr, ":%" PRIu32, u->column);
	fprintf(stderr, ": warning: '%s' %s%s\n", u->name, u->is_shown ? "" : "is not shown: ", u->why);
	if (source)
		cli_print_source(source, u->line, u->column);
	free(directory);
}

int cli_warn_of_unshown(const char *path, const struct cli_make *make, const struct cli_bytes *module)
{
	struct ward_error err = {0};
	ward_schema *schema = NULL;
	if (ward_schema_read(module->data, module->size, &schema, &err) != WARD_OK)
		return cli_library_error(&err);
	bool is_missing = false;
	fflush(stdout);
	for (size_t i = 0; i < ward_schema_unshown(schema); i++) {
		struct ward_unshown u = ward_schema_unshown_member(schema, i);
		print_warning(path, make, &u);
		is_missing |= !u.is_shown;
	}
	if (is_missing)
		fputs("    hint: what only the probe needs belongs in WARD_PRIVATE(...)\n", stderr);
	ward_schema_free(schema);
	return CLI_OK;
}

void cli_print_unshown(struct cli_output *out, const ward_schema *schema)
{
	for (size_t i = 0; i < ward_schema_unshown(schema); i++) {
		struct ward_unshown u = ward_schema_unshown_member(schema, i);
		if (!u.is_shown)
			fprintf(out->file, "not shown: %s: %s\n", u.name, u.why);
	}
}

void cli_json_unshown(struct cli_output *out, const ward_schema *schema)
{
	for (size_t i = 0; i < ward_schema_unshown(schema); i++) {
		struct ward_unshown u = ward_schema_unshown_member(schema, i);
		if (u.is_shown)
			continue;
		struct json_object *o = json_object_new_object();
		json_object_object_add(o, "type", json_object_new_string("unshown"));
		json_object_object_add(o, "field", json_object_new_string(u.name));
		json_object_object_add(o, "why", json_object_new_string(u.why));
		if (*u.file)
			json_object_object_add(o, "file", cli_json_string(u.file));
		if (u.line)
			json_object_object_add(o, "line", json_object_new_int64(u.line));
		cli_json_line(out, o);
	}
}
