/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "helper.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void gather(void *user, const char *text)
{
	char **said = user;
	char *longer;

	cr_assert(asprintf(&longer, "%s%s", *said, text) >= 0);
	free(*said);
	*said = longer;
}

struct built build_source(const char *path, bool no_proof)
{
	return build_guarded(path, no_proof, WARD_GUARDS_AUTO);
}

struct built build_guarded(const char *path, bool no_proof, enum ward_guards guards)
{
	struct built b = {.said = strdup("")};
	struct ward_cc_options options = {.no_proof = no_proof, .guards = guards, .diag = gather, .user = &b.said};

	b.status = ward_cc(path, &options, &b.module);
	return b;
}

struct built build_object(const char *path, int64_t state_size)
{
	struct built b = {.said = strdup("")};
	struct ward_link_options options = {
		.name = "object", .state_size = state_size, .no_proof = true, .diag = gather, .user = &b.said};
	struct ward_buf object = read_file(path);

	b.status = ward_link(object.data, object.size, &options, &b.module);
	free(object.data);
	return b;
}

void built_free(struct built *b)
{
	free(b->module.data);
	free(b->said);
}

struct ward_buf read_file(const char *path)
{
	struct ward_buf b = {0};
	FILE *f = fopen(path, "rb");

	cr_assert(f, "%s can't be read", path);
	fseek(f, 0, SEEK_END);
	b.size = (size_t)ftell(f);
	rewind(f);
	b.data = malloc(b.size + 1);
	cr_assert(b.data && fread(b.data, 1, b.size, f) == b.size);
	b.data[b.size] = 0;
	fclose(f);
	return b;
}

static void broken(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail)
{
	(void)sink;
	cr_assert(0, "%s at %llx: %s: %s", ward_rule_number(rule), (unsigned long long)pc, reason, detail);
}

void parse_module(struct wv_module *m, const struct built *b)
{
	struct wv_sink sink = {.report = broken};

	cr_assert_eq(b->status, 0, "%s", b->said);
	cr_assert(wv_module_parse(m, b->module.data, b->module.size, 1u << 28, &sink));
}

static char temporary_path[64];

const char *temporary(const struct built *b)
{
	int fd;

	strcpy(temporary_path, "/tmp/ward-codegen-XXXXXX");
	fd = mkstemp(temporary_path);
	cr_assert(fd >= 0 && write(fd, b->module.data, b->module.size) == (ssize_t)b->module.size);
	close(fd);
	return temporary_path;
}

void temporary_remove(void)
{
	unlink(temporary_path);
}

static int is_source(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, ".c") == 0;
}

size_t each_source(const char *dir, void (*fn)(const char *path))
{
	struct dirent **list;
	char path[4096];
	int n = scandir(dir, &list, is_source, alphasort), i;

	cr_assert(n >= 0, "%s can't be read", dir);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		fn(path);
		free(list[i]);
	}
	free(list);
	return (size_t)n;
}
