/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Use("sketch.c"): an aggregate that a C file has. What its struct has is what a probe with one in its state has: that
 * probe is compiled, or comes from the cache, and is never attached.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "query_command.h"

enum { ANY_STATE = 1 << 30 /* no state is larger, so the schema fits */, TEXT_MOST = 1 << 20 };

/* The file, with a zero byte behind it. */
static bool read_text(struct query_used_file *used, const char *path, const char **why)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f) {
		*why = strerror(errno);
		return false;
	}
	used->text = calloc(1, TEXT_MOST + 2);
	n = used->text ? fread(used->text, 1, TEXT_MOST + 1, f) : 0;
	fclose(f);
	if (used->text && n <= TEXT_MOST && !memchr(used->text, 0, n))
		return true;
	*why = used->text ? "it is no text of at most 1 MiB" : "out of memory";
	return false;
}

static int compile_use(
	struct query_command *c, const struct query_use_file *file, const char *text, struct cli_bytes *module)
{
	char *probe = query_use_probe(file, text);
	struct query_same same = {{probe, ""}, {probe ? strlen(probe) : 0, 0}};
	bool was_cached;
	int status = probe ? query_compile_text(c, probe, &same, file->is_kernel, module, &was_cached)
			   : cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");

	free(probe);
	return status;
}

/* Members of the struct, without the name of the member that it is. */
static bool read_fields(struct query_used_file *used, const struct cli_bytes *module, struct ward_error *err)
{
	static const char own[] = "use.";
	struct ward_field *fields;
	size_t n, kept = 0;

	if (ward_schema_read(module->data, module->size, &used->schema, err) != WARD_OK ||
		ward_snapshot_merge(used->schema, NULL, 0, ANY_STATE, &used->snapshot, err) != WARD_OK)
		return false;
	n = ward_snapshot_fields(used->snapshot);
	used->fields = fields = calloc(n + 1, sizeof(*fields));
	for (size_t i = 0; fields && i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(used->snapshot, i);

		if (strncmp(f->name, own, sizeof(own) - 1) != 0)
			continue;
		fields[kept] = *f;
		fields[kept++].name += sizeof(own) - 1;
		used->used.size += f->size;
	}
	used->used.text = used->text;
	used->used.fields = fields;
	used->used.n = kept;
	return fields != NULL;
}

const struct query_used *query_use_read(void *user, const struct query_use_file *file, const char **why)
{
	struct query_command *c = user;
	struct query_used_file *used = &c->used[c->n_used];
	struct cli_bytes module = {0};
	struct ward_error err = {0};
	bool done;

	if (c->n_used == QUERY_USED)
		return NULL;
	c->n_used++;
	if (!read_text(used, file->path, why))
		return NULL;
	if (compile_use(c, file, used->text, &module) != CLI_OK) {
		*why = "see above";
		return NULL;
	}
	done = read_fields(used, &module, &err);
	free(module.data);
	if (done)
		return &used->used;
	snprintf(c->types_why, sizeof(c->types_why), "%s", *err.why ? err.why : "out of memory");
	*why = c->types_why;
	return NULL;
}

void query_use_free(struct query_command *c)
{
	for (size_t i = 0; i < c->n_used; i++) {
		ward_snapshot_free(c->used[i].snapshot);
		ward_schema_free(c->used[i].schema);
		free(c->used[i].fields);
		free(c->used[i].text);
	}
}
