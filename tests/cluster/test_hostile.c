/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A corpus of hostile partials, one file for each rule and how it is broken. Each is refused with its rule, changes no
 * number of others, and takes no more memory than the budget says. The files are as hostile.c makes them:
 * with WARD_HOSTILE_WRITE=1 in the environment they are written anew.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/merge/total.h"
#include "hostile.h"
#include "merge_shape.h"

enum { MOST_FILE = 1 << 17, FEW = 1 << 16, GROWTH = 64, ARENA = 8, MORE = 64 << 10, FIELD = 512, WORK = 64 << 10 };
static const uint64_t SECOND = 1000000000;

/* ---- memory: all that is allocated by what is linked here goes through these (--wrap) ---- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *at, size_t n);
void __real_free(void *at);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *at, size_t n);
void __wrap_free(void *at);

static size_t used, most;

static void *counted(void *at)
{
	used += at ? malloc_usable_size(at) : 0;
	most = used > most ? used : most;
	return at;
}

void *__wrap_malloc(size_t n)
{
	return counted(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *at, size_t n)
{
	size_t before = at ? malloc_usable_size(at) : 0;
	void *grown = __real_realloc(at, n);

	used -= grown ? before : 0;
	return counted(grown);
}

void __wrap_free(void *at)
{
	used -= at ? malloc_usable_size(at) : 0;
	__real_free(at);
}

/* ---- the corpus ---- */

static void *made(const struct hostile *h, size_t *size)
{
	ward_partial *p = merge_partial(30, 2);
	size_t n;
	void *good = merge_pack(p, 1, 7, 2, 0, 0, &n), *bytes = hostile_make(h, good, n, size);

	free(good);
	ward_partial_free(p);
	return bytes;
}

static void path_of(const struct hostile *h, char path[512])
{
	snprintf(path, 512, CORPUS "/%s.bin", h->name);
}

static void *file_read(const struct hostile *h, size_t *size)
{
	char path[512];

	path_of(h, path);
	FILE *f = fopen(path, "rb");
	void *bytes = malloc(MOST_FILE);
	cr_assert(f && bytes, "%s", path);
	*size = fread(bytes, 1, MOST_FILE, f);
	fclose(f);
	return bytes;
}

Test(hostile, the_files_are_those_that_are_made)
{
	size_t files = 0;
	DIR *d = opendir(CORPUS);

	for (size_t i = 0; i < n_hostiles; i++) {
		size_t n, size;
		void *bytes = made(&hostiles[i], &n), *file;
		if (getenv("WARD_HOSTILE_WRITE")) {
			char path[512];
			path_of(&hostiles[i], path);
			FILE *f = fopen(path, "wb");
			cr_assert(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
		}
		file = file_read(&hostiles[i], &size);
		cr_expect(size == n && memcmp(bytes, file, n) == 0, "%s: WARD_HOSTILE_WRITE=1 writes the files anew",
			hostiles[i].name);
		free(bytes);
		free(file);
	}
	for (struct dirent *e; d && (e = readdir(d));)
		files += strstr(e->d_name, ".bin") != NULL;
	closedir(d);
	cr_expect_eq(files, n_hostiles);
}

/* Each rule of a partial that can be broken by one has a file. */
Test(hostile, no_rule_is_without_a_file)
{
	static const char *const rules[] = {"W-01", "W-02", "W-03", "W-04", "W-05", "W-06", "W-07", "W-08", "W-09",
		"W-10", "W-11", "W-12", "W-13", "C-02", "C-03", "C-04", "C-05", "C-06"};

	for (size_t r = 0; r < sizeof(rules) / sizeof(*rules); r++) {
		bool any = false;
		for (size_t i = 0; i < n_hostiles; i++)
			any |= strncmp(hostiles[i].name, rules[r], 4) == 0;
		cr_expect(any, "%s", rules[r]);
	}
}

/* ---- what becomes of them ---- */

static void honest_send(cluster_children *c, const char *machine, uint64_t seed, uint64_t nonce, uint32_t flags)
{
	struct cluster_sender sender = {.machine = machine, .processors = 4};
	ward_partial *p = merge_partial(seed, 2);
	size_t size;
	void *bytes = merge_pack(p, 1, nonce, 2, flags, 0, &size);

	cr_assert_eq(cluster_children_take(c, &sender, bytes, size, 1002 * SECOND, NULL, NULL), CLUSTER_TAKEN);
	free(bytes);
	ward_partial_free(p);
}

static enum cluster_taken expected(const struct hostile *h)
{
	if (strncmp(h->name, "C-03", 4) == 0 || strncmp(h->name, "W-13", 4) == 0) /* a coordinator has room for that */
		return CLUSTER_OLD;
	return h->name[0] == 'C' && h->name[3] >= '4' ? CLUSTER_INCONSISTENT : CLUSTER_REFUSED;
}

/* The rule that is named. What a coordinator has room for is only old, as it has come before. */
static const char *reason(const struct hostile *h, char rule[8])
{
	const char *name = strncmp(h->name, "W-01", 4) == 0   ? "C-01"
			   : strncmp(h->name, "W-13", 4) == 0 ? "C-03"
							      : h->name;

	snprintf(rule, 8, "(%.4s)", name);
	return rule;
}

static void others_expect(cluster_children *c, const ward_partial *sum, const char *what)
{
	static const char *const without[] = {"liar"};
	struct cluster_total_options options = {.without = without, .n_without = 1};
	struct cluster_total total;
	struct ward_error err = {0};

	cr_assert_eq(cluster_total_take(c, &options, &total, &err), 0, "%s", err.why);
	cr_expect(merge_equal(total.partial, sum), "%s", what);
	cr_expect_eq(total.cover.machines, 2, "%s", what);
	cluster_total_free(&total);
}

static void hostile_try(const struct hostile *h)
{
	struct cluster_children_options options = {.schema = &shape_schema,
		.query = QUERY,
		.began_ns = 1000 * SECOND,
		.child_bytes = HOSTILE_BYTES,
		.bytes = 4 * HOSTILE_BYTES};
	struct cluster_sender liar = {.machine = "liar", .processors = 2};
	cluster_children *c = cluster_children_new(&options);
	ward_partial *sum = merge_partial(1, 2), *other = merge_partial(50, 2);
	struct ward_error err;
	char rule[8];
	size_t n;
	void *bytes = file_read(h, &n);
	size_t budget = n * ARENA + FIELD * SHAPE_FIELDS + MORE + WORK; /* W-02, and for the rows of a small partial */

	if (strncmp(h->name, "W-13", 4) == 0)
		budget += HOSTILE_BYTES * GROWTH;
	cr_assert_eq(ward_partial_add(sum, other, NULL), 0);
	ward_partial_free(other);
	honest_send(c, "a", 1, 3, 0);
	honest_send(c, "liar", 30, 7, h->before_flags);
	honest_send(c, "b", 50, 4, 0);
	for (int twice = 0; twice < 2; twice++) {
		size_t before = used, kept = cluster_children_bytes(c);
		most = used;
		enum cluster_taken how = cluster_children_take(c, &liar, bytes, n, 1003 * SECOND, NULL, &err);
		cr_expect_eq(how, expected(h), "%s: %d", h->name, how);
		cr_expect(twice || strstr(err.why, reason(h, rule)), "%s: %s", h->name, err.why);
		cr_expect(most - before <= budget, "%s: %zu bytes of memory", h->name, most - before);
		cr_expect_eq(used, before, "%s: %zu bytes stay", h->name, used - before);
		cr_expect_eq(cluster_children_bytes(c), kept);
	}
	others_expect(c, sum, h->name);
	ward_partial_free(sum);
	cluster_children_free(c);
	free(bytes);
}

Test(hostile, each_is_refused_with_its_rule_and_changes_nothing)
{
	for (size_t i = 0; i < n_hostiles; i++)
		hostile_try(&hostiles[i]);
}

/* The same bytes are no partial to whoever reads them. */
Test(hostile, each_that_is_no_partial_is_none)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = HOSTILE_BYTES, .memory = FEW};

	for (size_t i = 0; i < n_hostiles; i++) {
		struct ward_error err = {0};
		ward_partial *p = NULL;
		char rule[8];
		size_t n;
		void *bytes = file_read(&hostiles[i], &n);
		int status = ward_partial_unpack(&shape_schema, bytes, n, &limits, &p, &err);
		snprintf(rule, sizeof(rule), "(%.4s)", hostiles[i].name);
		if (*hostiles[i].name == 'C')
			cr_expect_eq(status, 0, "%s: %s", hostiles[i].name, err.why);
		else
			cr_expect(status && !p && (strstr(err.why, rule) || strstr(err.why, "bytes of memory")),
				"%s: %s", hostiles[i].name, err.why);
		ward_partial_free(p);
		free(bytes);
	}
}
