/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <sodium.h>
#include <string.h>

#include "refuse.h"
#include "ward/partial.h"

static void number_add(crypto_hash_sha256_state *s, uint64_t number)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
	crypto_hash_sha256_update(s, bytes, sizeof(bytes));
}

static void text_add(crypto_hash_sha256_state *s, const char *text)
{
	number_add(s, strlen(text));
	crypto_hash_sha256_update(s, (const uint8_t *)text, strlen(text));
}

/* Parts have no parts. */
static void field_add(crypto_hash_sha256_state *s, const struct ward_field *f)
{
	text_add(s, f->name);
	number_add(s, f->kind);
	number_add(s, (uint64_t)f->key_is_signed | (uint64_t)f->value_is_signed << 1 | (uint64_t)f->is_address << 2 |
			      (uint64_t)f->is_site << 3);
	number_add(s, f->unit);
	number_add(s, f->size);
	number_add(s, f->slots);
	number_add(s, f->n_keys);
	number_add(s, f->n_values);
}

ward_snapshot *cluster_shape_fields(const ward_schema *schema)
{
	ward_partial *nothing = NULL;
	ward_snapshot *snapshot = NULL;

	/* of no states, whatever size they would have */
	if (ward_partial_merge(schema, NULL, NULL, 0, SIZE_MAX, NULL, &nothing, NULL) == 0)
		ward_partial_finish(nothing, &snapshot, NULL);
	ward_partial_free(nothing);
	return snapshot;
}

bool cluster_shape_digest(const ward_schema *schema, uint8_t digest[CLUSTER_DIGEST])
{
	ward_snapshot *fields = cluster_shape_fields(schema);
	size_t n = ward_snapshot_fields(fields);
	crypto_hash_sha256_state s;

	if (!fields)
		return false;
	crypto_hash_sha256_init(&s);
	text_add(&s, "ward shape 1");
	number_add(&s, n);
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(fields, i);
		field_add(&s, f);
		for (uint32_t j = 0; f->parts && j < f->n_keys + f->n_values; j++)
			field_add(&s, &f->parts[j]);
	}
	crypto_hash_sha256_final(&s, digest);
	ward_snapshot_free(fields);
	return true;
}

bool cluster_shape_has_difference(const ward_schema *schema, struct ward_error *err)
{
	ward_partial *nothing = NULL;
	struct ward_error why = {0};
	bool has = ward_partial_merge(schema, NULL, NULL, 0, SIZE_MAX, NULL, &nothing, &why) == 0 &&
		   ward_partial_subtract(nothing, nothing, &why) == 0;

	ward_partial_free(nothing);
	return has || cluster_refuse(err, "order", "C-111", "windows: %s", why.why);
}

bool cluster_module_reads_kernel(const struct ward_module_facts *facts)
{
	for (size_t i = 0; i < facts->n_imports; i++)
		if (facts->imports[i].import == WARD_IMPORT_KERNEL_READ ||
			facts->imports[i].import == WARD_IMPORT_KERNEL_READ_STR)
			return true;
	return false;
}

/* A record's moment is read by the clock of its own machine; what is added up must be of one clock. */
static bool field_has_counts(const struct ward_field *f)
{
	bool is_record = f->kind == WARD_FIELD_RING || f->kind == WARD_FIELD_QUEUE || f->kind == WARD_FIELD_FLIGHT;
	bool has = f->unit == WARD_UNIT_COUNTS || f->unit == WARD_UNIT_TIME;

	for (uint32_t i = 0; f->parts && i < f->n_keys + f->n_values; i++)
		has |= f->parts[i].unit == WARD_UNIT_COUNTS || (f->parts[i].unit == WARD_UNIT_TIME && !is_record);
	return has;
}

bool cluster_shape_has_counts(const ward_schema *schema)
{
	ward_snapshot *fields = cluster_shape_fields(schema);
	bool has = !fields; /* the careful answer */

	for (size_t i = 0; i < ward_snapshot_fields(fields); i++)
		has |= field_has_counts(ward_snapshot_field(fields, i));
	ward_snapshot_free(fields);
	return has;
}
