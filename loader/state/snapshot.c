/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging the threads' states. The states are in memory that the target shares. It may fill them with anything at any
 * moment, also while we read. So each integer is read once, by one load where its alignment allows one, and nothing
 * that was read decides where the next read goes. Slots with several members are copied first, and only the copy is
 * looked at.
 *
 * Counts, values and histogram buckets add up modulo 2^64; merge_*.c have the other kinds. Maps are merged by
 * collecting the slots of all threads, sorting them by key and merging equal keys. No hash table means nothing that
 * hostile keys could degrade, and memory is bounded by the slots there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"

#include "loader/error.h"

struct ward_snapshot {
	size_t n;
	struct ward_field *fields;
	struct heap heap;
};

struct block {
	struct block *next;
	max_align_t data[];
};

void *heap_take(struct heap *heap, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - sizeof(struct block))
		return NULL;
	struct block *block = calloc(1, sizeof(*block) + bytes);
	if (!block)
		return NULL;
	block->next = heap->blocks;
	heap->blocks = block;
	return block->data;
}

void heap_free(struct heap *heap)
{
	while (heap->blocks) {
		struct block *next = heap->blocks->next;
		free(heap->blocks);
		heap->blocks = next;
	}
}

uint64_t merge_read(const unsigned char *base, const struct state_int *i)
{
	const unsigned char *p = base + i->offset;
	uint64_t v = 0;
	if (((uintptr_t)p & (i->size - 1u)) == 0) { /* sizes are powers of two */
		switch (i->size) {
		case 1: v = __atomic_load_n(p, __ATOMIC_ACQUIRE); break;
		case 2: v = __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE); break;
		case 4: v = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE); break;
		case 8: v = __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE); break;
		}
	} else {
		for (unsigned b = 0; b < i->size; b++)
			v |= (uint64_t)__atomic_load_n(p + b, __ATOMIC_ACQUIRE) << (8 * b);
	}
	unsigned unused = 64 - 8u * i->size;
	if (i->is_signed && unused)
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	return v;
}

uint64_t merge_sum(const void *const *states, size_t n, const struct state_int *i)
{
	uint64_t total = 0;
	for (size_t t = 0; t < n; t++)
		total += merge_read(states[t], i);
	return total;
}

static char *copy_text(struct heap *heap, const char *text, size_t most)
{
	size_t n = strnlen(text, most);
	char *copy = heap_take(heap, n + 1, 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

bool merge_describe(const struct state_field *f, struct ward_field *out, struct heap *heap)
{
	*out = state_field_public(f);
	out->name = copy_text(heap, f->name, STATE_MAX_NAME);
	return out->name != NULL;
}

static bool merge_text(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	const char *greatest = "";
	for (size_t t = 0; t < n; t++) {
		const char *text = (const char *)states[t] + f->scalar.offset;
		greatest = t == 0 || strncmp(text, greatest, f->n) > 0 ? text : greatest;
	}
	out->text = copy_text(heap, greatest, f->n);
	return out->text != NULL;
}

bool merge_field(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	switch (f->kind) {
	case WARD_FIELD_LOG2: return merge_log2(f, states, n, out, heap);
	case WARD_FIELD_LINEAR: return merge_linear(f, states, n, out, heap);
	case WARD_FIELD_QUANTILES: return merge_quantiles(f, states, n, out, heap);
	case WARD_FIELD_STAT: merge_stat(f, states, n, out); return true;
	case WARD_FIELD_MEAN: merge_mean(f, states, n, out); return true;
	case WARD_FIELD_MIN:
	case WARD_FIELD_MAX: merge_extreme(f, states, n, out); return true;
	case WARD_FIELD_DISTINCT: return merge_distinct(f, states, n, out);
	case WARD_FIELD_TEXT: return merge_text(f, states, n, out, heap);
	case WARD_FIELD_GATE:
		out->value = merge_sum(states, n, &f->scalar);
		out->count = out->value + merge_sum(states, n, &f->count);
		return true;
	case WARD_FIELD_MAP: return (f->n_keys ? merge_map : merge_plain_map)(f, states, n, out, heap);
	case WARD_FIELD_TOP:
	case WARD_FIELD_CHOPSTIX: return merge_map(f, states, n, out, heap);
	case WARD_FIELD_RING:
	case WARD_FIELD_FLIGHT: return merge_ring(f, states, n, out, heap);
	default:
		out->value = state_module_of(f->modules, merge_sum(states, n, &f->scalar));
		return true;
	}
}

/* The parts of a field, for whoever wants to know their names. */
static bool describe_parts(const struct state_field *f, struct ward_field *out, struct heap *heap)
{
	size_t n = (size_t)f->n_keys + f->n_values;
	struct ward_field *parts = heap_take(heap, n, sizeof(*parts));
	bool ok = parts != NULL;
	for (size_t i = 0; ok && i < n; i++)
		ok = merge_describe(&f[1 + i], &parts[i], heap);
	out->parts = parts;
	return ok;
}

static int fail(struct ward_error *err, int status, const char *why, const char *hint)
{
	wl_fail(err, status, "state", "%s", why);
	wl_hint(err, "%s", hint);
	return status;
}

int ward_snapshot_merge(
	const ward_schema *schema, const void *const *states, size_t n, size_t state_size, ward_snapshot **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_snapshot_merge", "out");
	*out = NULL;
	if (!schema || (n && !states))
		return wl_missing(err, "ward_snapshot_merge", schema ? "states" : "the schema");
	for (size_t i = 0, group; i < schema->n; i += group) {
		group = state_group_valid(&schema->fields[i], schema->n - i, state_size);
		if (group == 0)
			return fail(
				err, WARD_E_USAGE, "the fields don't fit into the state", "use the schema of the module that is attached");
	}
	ward_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot)
		snapshot->fields = calloc(schema->n + 1, sizeof(*snapshot->fields));
	bool ok = snapshot && snapshot->fields;
	for (size_t i = 0; ok && i < schema->n; i += 1 + schema->fields[i].n_keys + schema->fields[i].n_values) {
		const struct state_field *f = &schema->fields[i];
		struct ward_field *field = &snapshot->fields[snapshot->n++];
		ok = merge_describe(f, field, &snapshot->heap) && describe_parts(f, field, &snapshot->heap) &&
		     merge_field(f, states, n, field, &snapshot->heap);
	}
	if (!ok) {
		ward_snapshot_free(snapshot);
		return fail(err, WARD_E_SYSTEM, "out of memory", "trace fewer threads, or use smaller maps");
	}
	*out = snapshot;
	return WARD_OK;
}

size_t ward_snapshot_fields(const ward_snapshot *snapshot)
{
	return snapshot ? snapshot->n : 0;
}

const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i)
{
	return snapshot && i < snapshot->n ? &snapshot->fields[i] : NULL;
}

void ward_snapshot_free(ward_snapshot *snapshot)
{
	if (!snapshot)
		return;
	heap_free(&snapshot->heap);
	free(snapshot->fields);
	free(snapshot);
}
