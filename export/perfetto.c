/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's native format: a file of packets, each written as it comes (TrackEvent). A thread has a track. An event
 * with a duration is a beginning and an end; the viewer pairs an end with the latest beginning on the same track. So
 * that events of different rings can overlap, each ring has a track of its own below its thread's.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format.h"
#include <perfetto.pb-c.h>

enum { SEQUENCE = 1, PACKET_FIELD = 1, LENGTH_DELIMITED = 2 };
enum { REALTIME = 1, BOOTTIME = 6 }; /* clocks, as Perfetto numbers them */

struct perfetto {
	struct export base;
	struct intern tracks; /* keys of those that have been described */
	uint8_t *bytes;
	size_t room;
};

/* A track's number: of a process, a thread, and of a name in a thread. */
struct track_key {
	pid_t pid, tid;
	uint64_t name; /* number of the track's name + 1; 0: the thread itself */
};

static void put_length(FILE *file, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		fputc((int)(n & 0x7f) | 0x80, file);
	fputc((int)n, file);
}

/* A packet is a member of the trace: its field number, its length, and its bytes. */
static void put_packet(struct perfetto *p, const PerfettoTrace__Packet *packet)
{
	size_t size = perfetto_trace__packet__get_packed_size(packet);
	if (size > p->room) {
		uint8_t *bytes = realloc(p->bytes, size * 2);
		if (!bytes) {
			p->base.failed = true;
			return;
		}
		p->bytes = bytes;
		p->room = size * 2;
	}
	perfetto_trace__packet__pack(packet, p->bytes);
	fputc(PACKET_FIELD << 3 | LENGTH_DELIMITED, p->base.file);
	put_length(p->base.file, size);
	fwrite(p->bytes, 1, size, p->base.file);
}

static PerfettoTrace__Packet make_packet(void)
{
	PerfettoTrace__Packet packet = PERFETTO_TRACE__PACKET__INIT;
	packet.trusted_packet_sequence_id = SEQUENCE;
	return packet;
}

/*
 * 0 isn't a track: numbers are from 1 on. Keys of three sorts have one table; no text is taken for another sort, as it
 * has no zero bytes, and each number has some.
 */
static uint64_t track_number(struct perfetto *p, const void *key, size_t size, bool *is_new)
{
	int64_t number = intern_bytes(&p->tracks, key, size, is_new);
	p->base.failed |= number == INTERN_FAILED;
	return (uint64_t)(number + 1);
}

static void put_track(struct perfetto *p, PerfettoTrace__Track *track)
{
	PerfettoTrace__Packet packet = make_packet();
	packet.track_descriptor = track;
	put_packet(p, &packet);
}

static uint64_t process_track(struct perfetto *p, pid_t pid)
{
	bool is_new;
	uint64_t uuid = track_number(p, &pid, sizeof(pid), &is_new);
	if (!is_new)
		return uuid;
	PerfettoTrace__Process process = PERFETTO_TRACE__PROCESS__INIT;
	PerfettoTrace__Track track = PERFETTO_TRACE__TRACK__INIT;
	process.pid = pid;
	process.process_name = pid == p->base.about.pid ? (char *)p->base.about.process : NULL;
	track.uuid = uuid;
	track.process = &process;
	put_track(p, &track);
	return uuid;
}

/* A name that comes later describes the track once more. */
static uint64_t thread_track(struct perfetto *p, pid_t pid, pid_t tid, const char *name)
{
	const struct track_key key = {pid, tid, 0};
	bool is_new;
	uint64_t parent = process_track(p, pid), uuid = track_number(p, &key, sizeof(key), &is_new);
	if (!is_new && !name)
		return uuid;
	PerfettoTrace__Thread thread = PERFETTO_TRACE__THREAD__INIT;
	PerfettoTrace__Track track = PERFETTO_TRACE__TRACK__INIT;
	thread.pid = pid;
	thread.tid = tid;
	thread.thread_name = (char *)name;
	track.uuid = uuid;
	track.has_parent_uuid = true;
	track.parent_uuid = parent;
	track.thread = &thread;
	put_track(p, &track);
	return uuid;
}

static uint64_t event_track(struct perfetto *p, const struct export_event *event)
{
	bool is_new;
	uint64_t parent = thread_track(p, event->pid, event->tid, NULL);
	int64_t name = intern_text(&p->tracks, event->track, &is_new);
	p->base.failed |= name == INTERN_FAILED;
	const struct track_key key = {event->pid, event->tid, (uint64_t)(name + 1)};
	uint64_t uuid = track_number(p, &key, sizeof(key), &is_new);
	if (!is_new)
		return uuid;
	PerfettoTrace__Track track = PERFETTO_TRACE__TRACK__INIT;
	track.uuid = uuid;
	track.has_parent_uuid = true;
	track.parent_uuid = parent;
	track.name = (char *)event->track;
	put_track(p, &track);
	return uuid;
}

static void put_event(struct perfetto *p, PerfettoTrace__Event *event, int64_t ns)
{
	PerfettoTrace__Packet packet = make_packet();
	packet.has_timestamp = packet.has_timestamp_clock_id = true;
	packet.timestamp = ns < 0 ? 0 : (uint64_t)ns;
	packet.timestamp_clock_id = REALTIME;
	packet.track_event = event;
	put_packet(p, &packet);
}

static void fill_value(PerfettoTrace__Value *to, const struct export_value *from)
{
	perfetto_trace__value__init(to);
	to->name = (char *)from->name;
	to->has_uint_value = from->type == EXPORT_UNSIGNED;
	to->uint_value = from->number;
	to->has_int_value = from->type == EXPORT_SIGNED;
	to->int_value = (int64_t)from->number;
	to->has_double_value = from->type == EXPORT_REAL;
	to->double_value = from->real;
	to->string_value = from->type == EXPORT_TEXT ? (char *)from->text : NULL;
}

enum { MOST_VALUES = 256 };

static void perfetto_event(export *e, const struct export_event *event)
{
	struct perfetto *p = (struct perfetto *)e;
	PerfettoTrace__Value value[MOST_VALUES], *values[MOST_VALUES];
	PerfettoTrace__Event out = PERFETTO_TRACE__EVENT__INIT;
	char *category = "ward";
	size_t n = event->n < MOST_VALUES ? event->n : MOST_VALUES;
	for (size_t i = 0; i < n; i++) {
		fill_value(&value[i], &event->values[i]);
		values[i] = &value[i];
	}
	out.track_uuid = event_track(p, event);
	out.type = event->is_span ? PERFETTO_TRACE__EVENT__TYPE__SLICE_BEGIN : PERFETTO_TRACE__EVENT__TYPE__INSTANT;
	out.name = (char *)event->name;
	out.categories = &category;
	out.n_categories = 1;
	out.debug_annotations = values;
	out.n_debug_annotations = n;
	put_event(p, &out, event->begin);
	if (!event->is_span)
		return;
	PerfettoTrace__Event end = PERFETTO_TRACE__EVENT__INIT;
	end.track_uuid = out.track_uuid;
	end.type = PERFETTO_TRACE__EVENT__TYPE__SLICE_END;
	put_event(p, &end, event->end);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;
	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * The viewer's line of time is the time since boot, as in traces of other tools; it shows the time of the day as well.
 */
static void put_clocks(struct perfetto *p)
{
	PerfettoTrace__Clock real = PERFETTO_TRACE__CLOCK__INIT, boot = PERFETTO_TRACE__CLOCK__INIT;
	PerfettoTrace__Clock *both[] = {&real, &boot};
	PerfettoTrace__Clocks clocks = PERFETTO_TRACE__CLOCKS__INIT;
	PerfettoTrace__Packet packet = make_packet();
	real.clock_id = REALTIME;
	real.timestamp = (uint64_t)clock_ns(CLOCK_REALTIME);
	boot.clock_id = BOOTTIME;
	boot.timestamp = (uint64_t)clock_ns(CLOCK_BOOTTIME);
	clocks.clocks = both;
	clocks.n_clocks = 2;
	packet.clock_snapshot = &clocks;
	put_packet(p, &packet);
}

static void perfetto_begin(export *e)
{
	struct perfetto *p = (struct perfetto *)e;
	put_clocks(p);
	process_track(p, e->about.pid);
}

static void perfetto_thread(export *e, pid_t pid, pid_t tid, const char *name)
{
	thread_track((struct perfetto *)e, pid, tid, name);
}

static void perfetto_end(export *e)
{
	(void)e;
}

static void perfetto_release(export *e)
{
	struct perfetto *p = (struct perfetto *)e;
	intern_free(&p->tracks);
	free(p->bytes);
}

const struct export_format export_perfetto = {.name = "perfetto",
	.viewers = "ui.perfetto.dev",
	.size = sizeof(struct perfetto),
	.begin = perfetto_begin,
	.event = perfetto_event,
	.thread = perfetto_thread,
	.end = perfetto_end,
	.release = perfetto_release};
