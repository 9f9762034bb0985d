/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write records to disk as fast as they come, in the Common Trace Format 1.8, which babeltrace2, Trace Compass and
 * others read.
 *
 * A trace is a directory. The text "metadata" describes the rest (ctf_metadata.c). Each thread's ring has a file, which
 * is a row of packets. A packet has a head, and records as the probe left them: their bytes are copied once, from the
 * ring into the packet. Before each record is its time stamp. That is its member `time` if it has one, else the time at
 * which it was read. The format wants time stamps that never go back within a file. So a record whose `time` is before
 * that of the record in front of it gets the same stamp (its own `time` is among its members all the same), and one
 * from the future gets the present time.
 *
 * The reader runs beside the probe, which never waits for it. What is overwritten before it was read is lost, and
 * counted: for each thread and ring, records written and lost add up to records pushed. Each packet says how many were
 * lost before its end. A copy is believed only if the slot held the same record before and after (merge_ring.c).
 *
 * Files are opened for each packet, so there may be more threads than a process may have open files. A target that
 * writes into this memory can make wrong records, at most as many at a time as a ring has slots.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <x86intrin.h>

#include "ctf.h"
#include "merge.h"

#include "loader/base/error.h"
#include "loader/state/kinds/kind.h"

enum {
	RECORD_MAX = 1 << 16,
	/*
	 * The metadata is written again when the trace is so many times as old: the longer it is, the better the
	 * clock's rate is known
	 */
	AGAIN = 4,
};

/* ---- opening ---- */

/* A record's members as the metadata has them, those that follow each other in one copy. */
static bool plan_ring(struct ctf_ring *r, const struct state_field *f)
{
	r->field = f;
	r->time = state_time_member(f);
	r->size = CTF_STAMP;
	r->spans = calloc(f->n_values, sizeof(*r->spans));
	for (uint32_t i = 1; r->spans && i <= f->n_values; i++) {
		struct ctf_span *last = r->n_spans ? &r->spans[r->n_spans - 1] : NULL;
		const struct state_int *bits = f[i].scalar.bits ? &f[i].scalar : NULL;
		if (last && !last->bits && !bits && last->offset + last->size == f[i].offset)
			last->size += f[i].size;
		else
			r->spans[r->n_spans++] = (struct ctf_span){f[i].offset, f[i].size, bits};
		r->size += f[i].size;
	}
	return r->spans;
}

/* Members that can be written: numbers and texts. */
static bool can_write_records(const struct state_field *f)
{
	uint64_t size = 0;
	for (uint32_t i = 1; i <= f->n_values; i++) {
		uint32_t kind = f[i].kind;
		if (kind != WARD_FIELD_VALUE && kind != WARD_FIELD_COUNT && kind != WARD_FIELD_MIN &&
			kind != WARD_FIELD_MAX && kind != WARD_FIELD_TEXT && kind != WARD_FIELD_WIDE &&
			kind != WARD_FIELD_REAL)
			return false;
		size += f[i].size;
	}
	return size <= RECORD_MAX;
}

static int add_rings(ward_ctf *ctf, const ward_schema *schema, struct ward_error *err)
{
	for (size_t i = 0; i < schema->n; i++) {
		const struct state_field *f = &schema->fields[i];
		if (f->part != STATE_WHOLE || !wl_kind_at(f->kind)->is_followed)
			continue;
		if (!can_write_records(f)) {
			wl_fail(err, WARD_E_USAGE, f->name,
				"its records are of more than %d bytes, or have members that are neither numbers nor "
				"texts",
				RECORD_MAX);
			wl_hint(err, "keep less in a record");
			return WARD_E_USAGE;
		}
		ctf->fields[ctf->n] = f;
		if (!plan_ring(&ctf->rings[ctf->n++], f))
			return wl_no_memory(err);
	}
	if (ctf->n)
		return WARD_OK;
	wl_fail(err, WARD_E_USAGE, "records", "the probe has no ring of records");
	wl_hint(err, "a member WARD_RING(struct record, 65536) of its state is one");
	return WARD_E_USAGE;
}

static int make_directory(ward_ctf *ctf, const char *path, struct ward_error *err)
{
	if (mkdir(path, 0777) == 0)
		ctf->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	ctf->path = ctf->directory >= 0 ? strdup(path) : NULL;
	if (ctf->path)
		return WARD_OK;
	wl_fail(err, WARD_E_USAGE, path, "%s", errno == EEXIST ? "it exists already" : strerror(errno));
	wl_hint(err, "name a directory that isn't there yet, where you may write");
	return WARD_E_USAGE;
}

static void start_clock(struct ctf_clocks *clock)
{
	clock->traces = 1;
	ctf_clock_read(&clock->start);
}

static void leave_clock(struct ctf_clocks *clock)
{
	if (clock && (clock->traces == 0 || --clock->traces == 0))
		free(clock);
}

int ward_ctf_share_clock(ward_ctf *ctf, ward_ctf *with, struct ward_error *err)
{
	wl_clear(err);
	if (!ctf || !with)
		return wl_missing(err, "ward_ctf_share_clock", "a trace");
	if (ctf->clock == with->clock)
		return WARD_OK;
	if (ctf->described || ctf->clock->traces > 1) {
		wl_fail(err, WARD_E_USAGE, ctf->path, "%s",
			ctf->described ? "it says already what its clock is" : "its clock is another trace's as well");
		wl_hint(err, "share a clock when the trace is opened");
		return WARD_E_USAGE;
	}
	leave_clock(ctf->clock);
	ctf->clock = with->clock;
	ctf->clock->traces++;
	return WARD_OK;
}

int ward_ctf_set_version(ward_ctf *ctf, unsigned version, struct ward_error *err)
{
	wl_clear(err);
	if (!ctf)
		return wl_missing(err, "ward_ctf_set_version", "a trace");
	if (ctf->described || version < 1 || version > 2) {
		wl_fail(err, WARD_E_USAGE, ctf->path, "%s",
			ctf->described ? "it says already what it is" : "the format has the versions 1 (1.8) and 2");
		wl_hint(err, "choose the version when the trace is opened");
		return WARD_E_USAGE;
	}
	ctf->version = version;
	return WARD_OK;
}

int ward_ctf_open(const char *path, const ward_schema *schema, ward_ctf **out, struct ward_error *err)
{
	ward_ctf *ctf;
	int rc;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_ctf_open", "out");
	*out = NULL;
	if (!path || !schema)
		return wl_missing(err, "ward_ctf_open", path ? "the schema" : "the directory");
	ctf = calloc(1, sizeof(*ctf) + schema->n * sizeof(ctf->rings[0]));
	if (!ctf)
		return wl_no_memory(err);
	ctf->directory = -1;
	ctf->version = 1;
	ctf->fields = calloc(schema->n + 1, sizeof(ctf->fields[0]));
	ctf->packet = malloc(CTF_PACKET_MAX);
	ctf->clock = calloc(1, sizeof(*ctf->clock));
	rc = ctf->fields && ctf->packet && ctf->clock ? add_rings(ctf, schema, err) : wl_no_memory(err);
	if (rc == WARD_OK)
		rc = make_directory(ctf, path, err);
	if (rc == WARD_OK)
		start_clock(ctf->clock);
	if (rc == WARD_OK)
		*out = ctf;
	else
		ward_ctf_close(ctf, NULL);
	return rc;
}

/* ---- packets ---- */

int ctf_disk_failed(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "records", "they can't be written: %s", strerror(errno));
	wl_hint(err, "is the disk full?");
	return WARD_E_SYSTEM;
}

static bool write_all(int fd, const unsigned char *bytes, size_t n, uint64_t at)
{
	while (n) {
		ssize_t k = pwrite(fd, bytes, n, (off_t)at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		bytes += k;
		n -= (size_t)k;
		at += (uint64_t)k;
	}
	return true;
}

/* Put a packet of `size` bytes behind the others of its file. It is there whole, or not at all. */
bool ctf_append_packet(
	const ward_ctf *ctf, const struct ctf_ring *r, struct ctf_track *t, size_t thread, uint64_t begin, size_t size)
{
	struct ctf_packet head = {CTF_MAGIC, (uint32_t)(r - ctf->rings), begin, t->stamp, size * 8, size * 8, t->lost,
		t->packets, thread};
	char name[STATE_MAX_NAME + 32];
	bool ok;
	snprintf(name, sizeof(name), "%zu-%s-%zu", (size_t)(r - ctf->rings), r->field->name, thread);
	int fd = openat(ctf->directory, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return false;
	memcpy(ctf->packet, &head, sizeof(head));
	ok = write_all(fd, ctf->packet, size, t->length);
	if (ok) {
		t->length += size;
		t->packets++;
	} else {
		int reason = errno;
		if (ftruncate(fd, (off_t)t->length) != 0)
			ctf->packet[0] =
				0; /* nothing can be done: the next packet is written over what is there of this one */
		errno = reason;
	}
	close(fd);
	return ok;
}

/* The stamp of the record in the slot: not before the last one's, not after now. */
static uint64_t stamp_of(const struct ctf_ring *r, const struct ctf_track *t, const unsigned char *slot, uint64_t now)
{
	uint64_t time = r->time ? merge_read(slot, r->time) : now;
	if (time > now)
		time = now;
	return time > t->stamp ? time : t->stamp;
}

void ctf_copy_members(const struct ctf_ring *r, const unsigned char *slot, unsigned char *to)
{
	for (size_t i = 0; i < r->n_spans; i++) {
		const struct ctf_span *s = &r->spans[i];
		uint64_t bits = s->bits ? merge_read(slot, s->bits) : 0;
		memcpy(to, s->bits ? (const unsigned char *)&bits : slot + s->offset, s->size);
		to += s->size;
	}
}

/* The record with this number, if the slot holds it all the time. */
static bool copy_record(const struct ctf_ring *r, const unsigned char *slot, uint64_t number, unsigned char *to)
{
	const struct state_int *used = &r->field->map.used;
	if (merge_read(slot, used) != number)
		return false;
	ctf_copy_members(r, slot, to);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return merge_read(slot, used) == number;
}

/* A packet of the records behind t->seen.pushed, `to` at most. Returns its size, and *begin. */
static size_t fill_packet(const ward_ctf *ctf, const struct ctf_ring *r, struct ctf_track *t,
	const unsigned char *state, uint64_t to, uint64_t now, uint64_t *begin)
{
	const struct state_map *map = &r->field->map;
	const unsigned char *slots = state + map->slots, *slot;
	size_t at = sizeof(struct ctf_packet), next = (size_t)(t->seen.pushed % map->n);
	*begin = 0;
	for (; t->seen.pushed < to && at + r->size <= CTF_PACKET_MAX; t->seen.pushed++) {
		slot = slots + next * map->stride;
		next = next + 1 < map->n ? next + 1 : 0;
		uint64_t stamp = stamp_of(r, t, slot, now);
		if (!copy_record(r, slot, t->seen.pushed + 1, ctf->packet + at + CTF_STAMP)) {
			t->lost++;
			continue;
		}
		memcpy(ctf->packet + at, &stamp, CTF_STAMP);
		at += r->size;
		*begin = *begin ? *begin : stamp;
		t->stamp = stamp;
	}
	*begin = *begin ? *begin : t->stamp;
	return at;
}

/* Readers compare how many were lost with the packet before. */
bool ctf_begin_file(const ward_ctf *ctf, const struct ctf_ring *r, struct ctf_track *t, size_t thread, uint64_t stamp)
{
	uint64_t lost = t->lost;
	t->lost = 0;
	t->stamp = stamp;
	bool ok = ctf_append_packet(ctf, r, t, thread, t->stamp, sizeof(struct ctf_packet));
	t->lost = lost;
	return ok;
}

/* All that a thread has pushed by now. What can't be written is lost. */
static bool drain_ring(const ward_ctf *ctf, struct ctf_ring *r, size_t thread, const struct states *states)
{
	const unsigned char *state = states->at[thread];
	struct ctf_track *t = &r->tracks[thread];
	uint64_t pushed = ring_look(r->field, state, &t->seen, &t->lost), now = __rdtsc(), begin;
	bool ok = true;
	if (t->seen.pushed < pushed && !t->packets)
		ok = ctf_begin_file(ctf, r, t, thread, ctf->clock->start.counts);
	while (t->seen.pushed < pushed) {
		size_t size = fill_packet(ctf, r, t, state, pushed, now, &begin),
		       records = (size - sizeof(struct ctf_packet)) / r->size;
		ok = ok && ctf_append_packet(ctf, r, t, thread, begin, size);
		*(ok ? &t->written : &t->lost) += records;
		ring_move(r->field, states, thread, &t->seen);
	}
	return ok;
}

/* ---- reading ---- */

bool ctf_make_room(ward_ctf *ctf, size_t threads)
{
	for (size_t i = 0; i < ctf->n && threads > ctf->threads; i++) {
		struct ctf_track *tracks = reallocarray(ctf->rings[i].tracks, threads, sizeof(*tracks));
		if (!tracks)
			return false;
		memset(tracks + ctf->threads, 0, (threads - ctf->threads) * sizeof(*tracks));
		ctf->rings[i].tracks = tracks;
	}
	if (threads > ctf->threads)
		ctf->threads = threads;
	return true;
}

/* As it gets older it is known better. */
static void read_clock(struct ctf_clocks *clock, bool last)
{
	struct ctf_clock now;
	ctf_clock_read(&now);
	uint64_t age = now.ns - clock->start.ns;
	if (clock->final || (!last && clock->age && age < clock->age * AGAIN))
		return;
	clock->now = now;
	clock->age = age ? age : 1;
	clock->final = last;
}

/* Say what the clock is by now, if that is something new. */
bool ctf_describe(ward_ctf *ctf, bool last)
{
	struct ctf_clocks *clock = ctf->clock;
	read_clock(clock, last);
	if (ctf->described == clock->age)
		return true;
	ctf->described = clock->age;
	return ctf_write_metadata(
		ctf->directory, ctf->version, ctf->fields, ctf->n, &clock->start, &clock->now, ctf->host);
}

int wl_ctf_read(ward_ctf *ctf, const struct states *states, size_t state_size, struct ward_error *err)
{
	bool ok = true;
	if (!ctf_make_room(ctf, states->n))
		return wl_no_memory(err);
	for (size_t i = 0; i < ctf->n; i++) {
		struct ctf_ring *r = &ctf->rings[i];
		if (!state_group_valid(r->field, 1 + (size_t)r->field->n_values, state_size))
			continue;
		for (size_t t = 0; t < states->n; t++)
			ok = drain_ring(ctf, r, t, states) && ok;
	}
	return ctf_describe(ctf, false) && ok ? WARD_OK : ctf_disk_failed(err);
}

int ward_ctf_read(ward_ctf *ctf, const void *const *states, size_t n, size_t state_size, struct ward_error *err)
{
	wl_clear(err);
	if (!ctf || (n && !states))
		return wl_missing(err, "ward_ctf_read", ctf ? "states" : "the trace");
	return wl_ctf_read(ctf, &(struct states){.at = states, .n = n}, state_size, err);
}

void ward_ctf_totals(const ward_ctf *ctf, const char *field, uint64_t *written, uint64_t *lost)
{
	uint64_t ignored;
	written = written ? written : &ignored;
	lost = lost ? lost : &ignored;
	*written = *lost = 0;
	for (size_t i = 0; ctf && i < ctf->n; i++) {
		const struct ctf_ring *r = &ctf->rings[i];
		if (field && strcmp(r->field->name, field) != 0)
			continue;
		for (size_t t = 0; t < ctf->threads; t++) {
			*written += r->tracks[t].written;
			*lost += r->tracks[t].lost;
		}
	}
}

int ward_ctf_close(ward_ctf *ctf, struct ward_error *err)
{
	int rc = WARD_OK;
	wl_clear(err);
	if (!ctf)
		return rc;
	if (ctf->described && !ctf_describe(ctf, true))
		rc = ctf_disk_failed(err);
	if (ctf->directory >= 0)
		close(ctf->directory);
	if (ctf->path && !ctf->described)
		rmdir(ctf->path); /* nothing was read */
	free(ctf->path);
	free(ctf->host);
	for (size_t i = 0; i < ctf->n; i++) {
		free(ctf->rings[i].spans);
		free(ctf->rings[i].tracks);
	}
	free(ctf->fields);
	free(ctf->packet);
	leave_clock(ctf->clock);
	free(ctf);
	return rc;
}
