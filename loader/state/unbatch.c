/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records from bytes that a batch had, where the state isn't: each is put where its value is in a slot, and read as a
 * slot's members are. The schema says what lies where, so bytes can be anything.
 */
#include <string.h>

#include "stream.h"

#include "loader/base/error.h"

static int batch_refuse(struct ward_error *err, const char *why)
{
	wl_fail(err, WARD_E_USAGE, "records", "%s", why);
	return WARD_E_USAGE;
}

static bool record_give(const struct state_field *f, const unsigned char *slot, const struct ward_field *field,
	struct ward_record record, ward_record_fn *fn, void *user)
{
	struct heap heap = {0};
	struct ward_field *members = heap_take(&heap, f->n_values, sizeof(*members));
	bool ok = members != NULL;
	for (uint32_t i = 0; ok && i < f->n_values; i++)
		ok = merge_part(&f[1 + i], slot, &members[i], &heap);
	record.members = members;
	if (ok)
		fn(user, field, &record);
	heap_free(&heap);
	return ok;
}

int ward_stream_unbatch(const ward_stream *stream, size_t i, const struct ward_batch *batch, ward_record_fn *fn,
	void *user, struct ward_error *err)
{
	wl_clear(err);
	if (!stream || !batch || !fn)
		return wl_missing(err, "ward_stream_unbatch", !stream ? "the stream" : !batch ? "the batch" : "fn");
	if (i >= stream->n)
		return batch_refuse(err, "the schema has no such ring");
	const struct state_field *f = stream->rings[i].field;
	if (batch->stride < f->map.value_size)
		return batch_refuse(err, "the records are shorter than the ring's");
	struct heap scratch = {0};
	struct ward_field field;
	unsigned char *slot = heap_take(&scratch, 1, f->map.stride);
	bool ok = slot && merge_describe(f, &field, &scratch);
	for (size_t k = 0; ok && k < batch->n; k++) {
		memcpy(slot + f->map.value_offset, (const unsigned char *)batch->records + k * batch->stride,
			f->map.value_size);
		ok = record_give(f, slot, &field,
			(struct ward_record){.thread = batch->thread, .number = batch->first + k}, fn, user);
	}
	heap_free(&scratch);
	return ok ? WARD_OK : stream_no_memory(err);
}
