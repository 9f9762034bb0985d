/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partials against snapshots: states of several threads, filled at random, are merged at once; and they are cut into
 * groups, whose partials are added in random order and depth. Both must give the same result, to the last digit.
 * Usage: partial-random ROUNDS SEED FILE...: modules, and files that have the state of fixture.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "loader/state/schema.h"
#include "verifier/file/module.h"
#include "ward/partial.h"

enum { MOST_STATES = 6 };

static uint64_t seed;
static unsigned sent, too_large, differences;

static uint64_t draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

static _Noreturn void fail(const char *file, const char *what)
{
	fprintf(stderr, "%s: %s\n", file, what);
	exit(1);
}

static void check(const char *file, int status, const struct ward_error *err)
{
	if (status) {
		fprintf(stderr, "%s: %s: %s\n", file, err->what, err->why);
		exit(1);
	}
}

/* ---- what a snapshot says ---- */

static void put_result(void *to, const struct ward_result *r)
{
	fprintf(to, " %d:%s:%llu:%.17g:%s", (int)r->type, r->name, (unsigned long long)r->number, r->real,
		r->text ? r->text : "");
}

static void put_field(FILE *to, const struct ward_field *f);

static void put_entry(FILE *to, const struct ward_field *f, const struct ward_map_entry *e, bool is_other)
{
	fprintf(to, "\n  %llx = %llx (%llx)", (unsigned long long)e->key, (unsigned long long)e->value,
		(unsigned long long)e->error);
	for (uint32_t i = 0; e->keys && !is_other && i < f->n_keys; i++)
		put_field(to, &e->keys[i]);
	for (uint32_t i = 0; e->values && i < f->n_values; i++)
		put_field(to, &e->values[i]);
}

/* Records are left out: their threads are counted anew in each group, and they are not sent. */
static void put_field(FILE *to, const struct ward_field *f)
{
	if (ward_kind(f->kind)->form == WARD_FORM_RECORDS) {
		fprintf(to, "\n%s %llu", f->name, (unsigned long long)f->lost);
		return;
	}
	fprintf(to, "\n%s %d %d %zu %llu %llu %llu", f->name, (int)f->kind, f->is_empty, f->n,
		(unsigned long long)f->lost, (unsigned long long)f->evicted, (unsigned long long)f->unlisted);
	ward_field_results(f, put_result, to);
	if (ward_kind(f->kind)->form == WARD_FORM_ENTRIES)
		for (size_t i = 0; i < f->n; i++)
			put_entry(to, f, &f->entries[i], false);
	if (f->other)
		put_entry(to, f, f->other, true);
}

static char *text_of(const char *file, ward_snapshot *snapshot)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	if (!to)
		fail(file, "no memory");
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++)
		put_field(to, ward_snapshot_field(snapshot, i));
	fclose(to);
	ward_snapshot_free(snapshot);
	return text;
}

static char *finish(const char *file, const ward_partial *p)
{
	ward_snapshot *snapshot;
	struct ward_error err;
	check(file, ward_partial_finish(p, &snapshot, &err), &err);
	return text_of(file, snapshot);
}

/* ---- states ---- */

/* All zeros, small numbers here and there, small numbers everywhere, or anything. */
static void fill(unsigned char *state, size_t size)
{
	unsigned how = (unsigned)draw(4);
	memset(state, 0, size);
	for (size_t i = 0; how == 3 && i < size; i++)
		state[i] = (unsigned char)draw(256);
	for (size_t i = 0; how && how != 3 && i + 4 <= size; i += 4)
		if (how == 2 || draw(8) == 0)
			state[i] = (unsigned char)draw(4);
}

static void compare(const char *file, const char *what, char *x, char *y)
{
	if (strcmp(x, y) != 0) {
		fprintf(stderr, "%s: %s:\n%s\n---- and not:\n%s\n", file, what, y, x);
		exit(1);
	}
	free(x);
	free(y);
}

struct subject {
	const char *file;
	ward_schema *schema;
	size_t state_size;
};

static ward_partial *take(const struct subject *s, const void *const *states, size_t n)
{
	ward_partial *p;
	struct ward_error err;
	check(s->file, ward_partial_merge(s->schema, NULL, states, n, s->state_size, NULL, &p, &err), &err);
	return p;
}

/* As bytes and back, now and then. */
static ward_partial *send(const struct subject *s, ward_partial *p)
{
	struct ward_partial_limits limits = {
		.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES, .memory = (size_t)1 << 30};
	ward_partial *received;
	struct ward_error err;
	void *bytes;
	size_t size;
	if (ward_partial_pack(p, &limits, &bytes, &size, &err)) {
		if (!strstr(err.why, "above its limit without any entry"))
			check(s->file, 1, &err);
		too_large++;
		return p;
	}
	check(s->file, ward_partial_unpack(s->schema, bytes, size, &limits, &received, &err), &err);
	free(bytes);
	if (ward_partial_notes(received).flags & WARD_PARTIAL_CUT) {
		ward_partial_free(received);
		too_large++;
		return p;
	}
	ward_partial_free(p);
	sent++;
	return received;
}

/* Both have the same bytes; the sum's notes are all zeros. */
static void compare_bytes(const struct subject *s, const ward_partial *x, const ward_partial *y)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES};
	struct ward_error err;
	void *a, *b;
	size_t n, m;
	if (ward_partial_pack(x, &limits, &a, &n, &err))
		return;
	check(s->file, ward_partial_pack(y, &limits, &b, &m, &err), &err);
	if (n != m || memcmp(a, b, n) != 0)
		fail(s->file, "the sum of parts hasn't the bytes of the whole");
	free(a);
	free(b);
}

/* Cut the states into groups, and add those at random. */
static ward_partial *cut_and_add(const struct subject *s, const void *const *states, size_t n)
{
	ward_partial *parts[MOST_STATES + 1];
	struct ward_error err;
	size_t n_parts = 0;
	for (size_t at = 0, length; at < n; at += length) {
		length = 1 + draw(n - at);
		parts[n_parts++] = take(s, states + at, length);
	}
	parts[n_parts++] = take(s, NULL, 0);
	while (n_parts > 1) {
		size_t i = draw(n_parts), j = draw(n_parts - 1);
		j += j >= i;
		if (draw(2))
			parts[j] = send(s, parts[j]);
		check(s->file, ward_partial_add(parts[i], parts[j], &err), &err);
		ward_partial_free(parts[j]);
		parts[j] = parts[--n_parts];
	}
	return parts[0];
}

/* What came behind the first few states, and these once more, is all of it again; or a field has no difference. */
static void check_difference(const struct subject *s, const void *const *states, size_t n)
{
	struct ward_error err;
	ward_partial *whole = take(s, states, n), *rest = take(s, states, n), *before = take(s, states, draw(n + 1));
	int status = ward_partial_subtract(rest, before, &err);
	if (status == WARD_E_USAGE && strstr(err.why, "has no difference")) {
		compare_bytes(s, whole, rest);
	} else {
		check(s->file, status, &err);
		check(s->file, ward_partial_add(rest, before, &err), &err);
		compare_bytes(s, whole, rest);
		compare(s->file, "a difference and the rest are the whole", finish(s->file, whole),
			finish(s->file, rest));
		differences++;
	}
	ward_partial_free(whole), ward_partial_free(rest), ward_partial_free(before);
}

static void compare_round(const struct subject *s, void **states, size_t n)
{
	ward_snapshot *snapshot;
	struct ward_error err;
	const void *shuffled[MOST_STATES];
	for (size_t i = 0; i < n; i++) {
		fill(states[i], s->state_size);
		shuffled[i] = states[i];
	}
	check(s->file, ward_snapshot_merge(s->schema, (const void *const *)states, n, s->state_size, &snapshot, &err),
		&err);
	ward_partial *whole = take(s, (const void *const *)states, n);
	compare(s->file, "a partial is finished as the snapshot", text_of(s->file, snapshot), finish(s->file, whole));
	for (size_t i = n; i > 1; i--) {
		size_t j = draw(i);
		const void *was = shuffled[i - 1];
		shuffled[i - 1] = shuffled[j];
		shuffled[j] = was;
	}
	ward_partial *sum = cut_and_add(s, shuffled, n);
	compare_bytes(s, whole, sum);
	compare(s->file, "the sum of parts is the whole", finish(s->file, whole), finish(s->file, sum));
	ward_partial_free(whole);
	ward_partial_free(sum);
	check_difference(s, (const void *const *)states, n);
}

/* ---- modules ---- */

static void *read_file(const char *file, size_t *size)
{
	FILE *f = fopen(file, "rb");
	if (!f)
		fail(file, "can't be read");
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	void *bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, f) != *size)
		fail(file, "can't be read");
	fclose(f);
	return bytes;
}

/* A file that is no module has the fixture's state. */
static ward_schema *read_schema(const char *file, size_t *state_size)
{
	size_t size;
	void *bytes = read_file(file, &size);
	ward_schema *schema = NULL;
	struct wv_sink sink = {0};
	struct wv_module module;
	struct ward_error err;
	if (wv_module_parse(&module, bytes, size, STATE_MAX_SIZE, &sink)) {
		check(file, ward_schema_read(bytes, size, &schema, &err), &err);
		*state_size = module.state_size;
	} else {
		*state_size = sizeof(struct ward_state);
		schema = calloc(1, sizeof(*schema));
		if (!schema || !(schema->fields = calloc(STATE_MAX_FIELDS, sizeof(*schema->fields))))
			fail(file, "no memory");
		schema->n = (size_t)state_describe(
			bytes, size, "ward_state", NULL, *state_size, schema->fields, STATE_MAX_FIELDS, NULL);
	}
	free(bytes);
	return schema;
}

/* ---- sizes ---- */

static void put_int(unsigned char *at, const struct state_int *i, uint64_t value)
{
	memcpy(at + i->offset, &value, i->size);
}

/*
 * As reads.c is after a while: calls, eight buckets, the bytes of three descriptors. Its partial has 100 bytes at
 * most.
 */
static void check_size(const struct subject *s, unsigned char *state)
{
	static const uint64_t buckets[] = {3, 20, 1200, 900, 60, 40, 9, 1}, by_fd[] = {1800, 400, 33};
	struct ward_error err;
	void *bytes;
	size_t size;
	memset(state, 0, s->state_size);
	for (size_t i = 0; i < s->schema->n; i++) {
		const struct state_field *f = &s->schema->fields[i];
		const struct state_map *map = &f->map;
		if (f->kind == WARD_FIELD_COUNT)
			put_int(state, &f->scalar, 2233);
		for (unsigned b = 0; f->kind == WARD_FIELD_LOG2 && b < 8; b++)
			put_int(state + (size_t)(b + 4) * f->scalar.size, &f->scalar, buckets[b]);
		for (unsigned k = 0; f->kind == WARD_FIELD_MAP && f->n_keys == 0 && k < 3; k++) {
			unsigned char *slot = state + map->slots + (size_t)k * map->stride;
			put_int(slot, &map->used, 1);
			put_int(slot, &map->key, 3 + k);
			put_int(slot, &map->value, by_fd[k]);
		}
	}
	const void *states[] = {state};
	ward_partial *p = take(s, states, 1);
	struct ward_partial_notes notes = {.size = sizeof(notes),
		.query = "0123456789abcde",
		.epoch = 12,
		.nonce = UINT64_MAX / 3,
		.sequence = 300,
		.events = 2233,
		.wall_ns = 1764170000000000000,
		.overhead_ppm = 3000};
	check(s->file, ward_partial_note(p, &notes, &err), &err);
	check(s->file, ward_partial_pack(p, NULL, &bytes, &size, &err), &err);
	printf("%s: a partial of %zu bytes\n", s->file, size);
	if (size < 60 || size > 100)
		fail(s->file, "its partial has more than 100 bytes, or not all that there is");
	free(bytes);
	ward_partial_free(p);
}

static void try_file(const char *file, unsigned rounds)
{
	struct subject s = {.file = file};
	void *states[MOST_STATES];
	s.schema = read_schema(file, &s.state_size);
	if (ward_schema_fields(s.schema) == 0)
		fail(file, "there are no fields");
	for (size_t i = 0; i < MOST_STATES; i++)
		if (!(states[i] = aligned_alloc(64, (s.state_size + 63) / 64 * 64)))
			fail(file, "no memory");
	for (unsigned i = 0; i < rounds; i++)
		compare_round(&s, states, 1 + draw(MOST_STATES));
	if (strstr(file, "/reads.ward"))
		check_size(&s, states[0]);
	for (size_t i = 0; i < MOST_STATES; i++)
		free(states[i]);
	ward_schema_free(s.schema);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	unsigned rounds = (unsigned)strtoul(argv[1], NULL, 10);
	for (int i = 3; i < argc; i++) {
		seed = strtoull(argv[2], NULL, 10) * 2 + 1;
		try_file(argv[i], rounds);
	}
	printf("%d files, %u rounds each; %u partials were sent, %u were too large; %u had a difference\n", argc - 3,
		rounds, sent, too_large, differences);
	return sent > 0 && too_large < sent && (argc == 4 || differences > 0) ? 0 : 1;
}
