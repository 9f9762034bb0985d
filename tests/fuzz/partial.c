/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a partial of a shape with every kind. What is read can be packed, and is read again as the same; it can
 * be added and shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/state/shape.h"
#include "ward/partial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const struct ward_error *err)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, err->why);
	abort();
}

static size_t shown;

static void show_result(void *user, const struct ward_result *r)
{
	(void)user;
	shown += strlen(r->name) + (r->text ? strlen(r->text) : 0);
}

/* Every number and text, entries too. */
static void show_fields(const struct ward_field *f, size_t n)
{
	char text[256];
	for (size_t i = 0; i < n; i++, f++) {
		ward_field_text(f, text, sizeof(text));
		ward_field_results(f, show_result, NULL);
		for (size_t b = 0; b < f->n && f->buckets; b++)
			ward_bucket_text(f, b, text, sizeof(text));
		for (size_t e = 0; e < f->n && f->entries; e++) {
			if (f->entries[e].keys)
				show_fields(f->entries[e].keys, f->n_keys);
			if (f->entries[e].values)
				show_fields(f->entries[e].values, f->n_values);
		}
	}
}

/* The same again, from bytes of just their size. */
static ward_partial *pack_and_read(
	const ward_partial *p, const struct ward_partial_limits *limits, void **bytes, size_t *size)
{
	struct ward_error err;
	ward_partial *q;
	if (ward_partial_pack(p, limits, bytes, size, &err))
		fail("what was read can't be packed", &err);
	if (ward_partial_unpack(&shape_schema, *bytes, *size, limits, &q, &err))
		fail("what was packed can't be read", &err);
	return q;
}

/* With fewer bytes than it has, entries are cut, or nothing can be. */
static void pack_cut(const ward_partial *p, size_t most)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = most, .memory = 1 << 20};
	struct ward_error err;
	ward_partial *q;
	void *bytes;
	size_t size;
	if (ward_partial_pack(p, &limits, &bytes, &size, &err)) {
		if (!strstr(err.why, "without any entry"))
			fail("it can't be cut", &err);
		return;
	}
	if (size > most)
		fail("it is above its limit", &err);
	if (ward_partial_unpack(&shape_schema, bytes, size, &limits, &q, &err) && err.status != WARD_E_SYSTEM)
		fail("what was cut can't be read", &err);
	ward_partial_free(q);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ward_partial_limits limits = {
		.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES, .memory = 1 << 20};
	struct ward_error err;
	ward_partial *p, *q;
	ward_snapshot *s;
	void *once, *again;
	size_t n_once, n_again;
	int status = ward_partial_unpack(&shape_schema, data, size, &limits, &p, &err);
	if (status) {
		if (!err.why[0] || !err.hint[0] || p)
			fail("an error says nothing", &err);
		return 0;
	}
	q = pack_and_read(p, &limits, &once, &n_once);
	ward_partial_free(pack_and_read(q, &limits, &again, &n_again));
	if (n_once != n_again || memcmp(once, again, n_once) != 0)
		fail("it isn't packed alike", &err);
	pack_cut(p, n_once * 3 / 4);
	status = ward_partial_add(p, q, &err);
	if (status && status != WARD_E_SYSTEM)
		fail("it can't be added", &err);
	if (ward_partial_finish(p, &s, &err))
		fail("it can't be shown", &err);
	for (size_t i = 0; i < ward_snapshot_fields(s); i++)
		show_fields(ward_snapshot_field(s, i), 1);
	ward_snapshot_free(s);
	ward_partial_free(p);
	ward_partial_free(q);
	free(once);
	free(again);
	return 0;
}
