/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace of another machine: its records come as bytes, with a time of each that their reader has made comparable with
 * those of other machines. So a reader of several such traces has all events in one order.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

#include "loader/base/error.h"

enum { SECOND = 1000000000 };

static bool host_is_valid(const char *host)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	return *host && !host[strspn(host, allowed)];
}

int ward_ctf_open_of(
	const char *directory, const char *host, const ward_schema *schema, ward_ctf **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out || !host)
		return wl_missing(err, "ward_ctf_open_of", out ? "the host" : "out");
	*out = NULL;
	if (!host_is_valid(host)) {
		wl_fail(err, WARD_E_USAGE, "trace",
			"the host's name has other characters than letters, digits, . and -");
		return WARD_E_USAGE;
	}
	int rc = ward_ctf_open(directory, schema, out, err);
	if (rc != WARD_OK)
		return rc;
	(*out)->host = strdup(host);
	if (!(*out)->host) {
		ward_ctf_close(*out, NULL);
		*out = NULL;
		return wl_no_memory(err);
	}
	/* a clock of nanoseconds that began in 1970 */
	(*out)->clock->start = (struct ctf_clock){0};
	(*out)->clock->now = (struct ctf_clock){.counts = SECOND, .ns = SECOND};
	(*out)->clock->age = 1;
	(*out)->clock->final = true;
	return WARD_OK;
}

static int put_refuse(struct ward_error *err, const char *why)
{
	wl_fail(err, WARD_E_USAGE, "records", "%s", why);
	return WARD_E_USAGE;
}

/* Put records from the i-th on into a packet. Returns its size, and moves *i on. */
static size_t packet_fill(const ward_ctf *ctf, const struct ctf_ring *r, struct ctf_track *t,
	const struct ward_batch *batch, const uint64_t *stamps, unsigned char *slot, size_t *i, uint64_t *begin)
{
	const struct state_map *map = &r->field->map;
	size_t at = sizeof(struct ctf_packet);
	*begin = 0;
	for (; *i < batch->n && at + r->size <= CTF_PACKET_MAX; ++*i) {
		memcpy(slot + map->value_offset, (const unsigned char *)batch->records + *i * batch->stride,
			map->value_size);
		t->stamp = stamps[*i] > t->stamp ? stamps[*i] : t->stamp; /* they never go back within a file */
		memcpy(ctf->packet + at, &t->stamp, CTF_STAMP);
		ctf_copy_members(r, slot, ctf->packet + at + CTF_STAMP);
		at += r->size;
		*begin = *begin ? *begin : t->stamp;
	}
	return at;
}

static bool batch_put(
	ward_ctf *ctf, struct ctf_ring *r, const struct ward_batch *batch, const uint64_t *stamps, unsigned char *slot)
{
	struct ctf_track *t = &r->tracks[batch->thread];
	uint64_t begin;
	bool ok = t->packets || ctf_begin_file(ctf, r, t, batch->thread, stamps[0]);
	if (batch->first > t->seen.pushed + 1)
		t->lost += batch->first - t->seen.pushed - 1;
	for (size_t i = 0, before = 0; i < batch->n; before = i) {
		size_t size = packet_fill(ctf, r, t, batch, stamps, slot, &i, &begin);
		ok = ok && ctf_append_packet(ctf, r, t, batch->thread, begin, size);
		*(ok ? &t->written : &t->lost) += i - before;
	}
	t->seen.pushed = batch->first + batch->n - 1;
	return ok;
}

int ward_ctf_put(
	ward_ctf *ctf, size_t i, const struct ward_batch *batch, const uint64_t *stamps, struct ward_error *err)
{
	wl_clear(err);
	if (!ctf || !batch || !stamps)
		return wl_missing(err, "ward_ctf_put", !ctf ? "the trace" : !batch ? "the batch" : "the stamps");
	if (!batch->n)
		return WARD_OK;
	if (i >= ctf->n)
		return put_refuse(err, "the schema has no such ring");
	struct ctf_ring *r = &ctf->rings[i];
	if (batch->stride < r->field->map.value_size)
		return put_refuse(err, "the records are shorter than the ring's");
	unsigned char *slot = calloc(1, r->field->map.stride);
	if (!slot || !ctf_make_room(ctf, (size_t)batch->thread + 1)) {
		free(slot);
		return wl_no_memory(err);
	}
	bool ok = batch_put(ctf, r, batch, stamps, slot) && ctf_describe(ctf, false);
	free(slot);
	return ok ? WARD_OK : ctf_disk_failed(err);
}
