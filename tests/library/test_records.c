/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and flight recorders against lists of all records. */
#include "library.h"

#include <signal.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { MOST = 2000 };

struct record {
	uint64_t time, size, level;
};

/* All records that a thread has pushed, and where the triggers were. */
static struct {
	struct record at[MOST];
	size_t n, triggers, after[MOST];
} lists[THREADS];

static void feed(struct library *l, size_t n)
{
	probe_fn *fn = library_entry(l, "on_record");
	uint64_t time = 1000;

	library_clear(l);
	memset(lists, 0, sizeof(lists));
	for (size_t i = 0; i < n; i++) {
		size_t t = random_bits() % THREADS;
		struct record r = {time += 1 + random_bits() % 9, random_bits() & UINT32_MAX,
			(uint64_t)(int64_t)(int16_t)random_bits()};
		struct ward_event ev = {.arg = {r.time, r.size, r.level, random_bits() % 60}};

		fn(&ev, l->states[t]);
		lists[t].at[lists[t].n++] = r;
		if (ev.arg[3] == 1)
			lists[t].after[lists[t].triggers++] = lists[t].n;
	}
}

static void check_record(const struct ward_record *r, uint32_t n, const struct record *want)
{
	char name[] = "record0";

	name[6] = (char)('0' + want->time % 10);
	cr_assert_eq(library_part(r->members, n, "time")->value, want->time);
	cr_assert_eq(library_part(r->members, n, "size")->value, want->size);
	cr_assert_eq(library_part(r->members, n, "level")->value, want->level);
	cr_assert_str_eq(library_part(r->members, n, "name")->text, name);
}

static void check_last(const struct ward_field *f)
{
	size_t next[THREADS], want = 0, lost = 0;
	uint64_t time = 0;

	for (size_t t = 0; t < THREADS; t++) {
		next[t] = lists[t].n > 64 ? lists[t].n - 64 : 0;
		want += lists[t].n - next[t];
		lost += next[t];
	}
	cr_assert_eq(f->n, want);
	cr_assert_eq(f->lost, lost);
	for (size_t i = 0; i < f->n; i++) {
		const struct ward_record *r = &f->records[i];
		const struct record *w = &lists[r->thread].at[next[r->thread]++];

		check_record(r, f->n_values, w);
		cr_assert_eq(r->number, next[r->thread]);
		cr_assert_gt(w->time, time);
		time = w->time;
	}
}

/* Dump d of a thread has the last 16 records before trigger d that came after trigger d - 1. */
static void check_flight(const struct ward_field *f)
{
	size_t missed = 0, total = 0;

	for (size_t t = 0; t < THREADS; t++) {
		size_t triggers = lists[t].triggers < 3 ? lists[t].triggers : 3;

		missed += lists[t].triggers - triggers;
		for (size_t d = 0; d <= triggers; d++) {
			size_t from = d ? lists[t].after[d - 1] : 0, to = d < triggers ? lists[t].after[d] : lists[t].n,
			       seen = 0;

			from = to - from > 16 ? to - 16 : from;
			for (size_t i = 0; i < f->n; i++) {
				const struct ward_record *r = &f->records[i];

				if (r->thread != t || r->dump != (d < triggers ? d : 3))
					continue;
				check_record(r, f->n_values, &lists[t].at[from + seen++]);
			}
			cr_assert_eq(
				seen, to - from, "thread %zu, dump %zu: %zu records, not %zu", t, d, seen, to - from);
			total += seen;
		}
	}
	cr_assert_eq(f->n, total);
	cr_assert_eq(f->lost, missed);
}

Test(records, the_last_ones)
{
	struct library l = library_open("records");

	for (size_t n = 0; n < MOST; n += 1 + n / 3) {
		ward_snapshot *s;

		feed(&l, n);
		s = library_merge(&l, 0, THREADS);
		check_last(library_field(s, "last"));
		check_flight(library_field(s, "flight"));
		ward_snapshot_free(s);
	}
	library_close(&l);
}

/* Without a time: thread by thread. */
Test(records, of_one_slot)
{
	struct library l = library_open("records");
	const struct ward_field *f;
	ward_snapshot *s;

	feed(&l, 500);
	s = library_merge(&l, 0, THREADS);
	f = library_field(s, "one");
	cr_assert_eq(f->n, (size_t)THREADS);
	cr_assert_eq(f->lost, 500u - THREADS);
	for (size_t t = 0; t < THREADS; t++) {
		cr_assert_eq(f->records[t].thread, t);
		cr_assert_eq(library_part(f->records[t].members, f->n_values, "value")->value,
			lists[t].at[lists[t].n - 1].level);
	}
	ward_snapshot_free(s);
	library_close(&l);
}

/* What a stream has told, by thread. */
struct told {
	uint64_t number[THREADS], n;
};

static void tell(void *user, const struct ward_field *f, const struct ward_record *r)
{
	struct told *told = user;

	if (strcmp(f->name, "last") != 0)
		return;
	cr_assert(r->thread < THREADS && r->number > told->number[r->thread] && r->number <= lists[r->thread].n);
	told->number[r->thread] = r->number;
	check_record(r, f->n_values, &lists[r->thread].at[r->number - 1]);
	told->n++;
}

/* Each record once, in order; those that were overwritten in between are counted. */
Test(records, as_they_come)
{
	struct library l = library_open("records");
	probe_fn *fn = library_entry(&l, "on_record");
	struct told told = {0};
	uint64_t n, lost, gone = 0, time = 0, since[THREADS] = {0};
	ward_stream *stream;

	memset(lists, 0, sizeof(lists));
	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (unsigned poll = 0; poll < 60; poll++) {
		size_t threads = poll < 10 ? 1 : poll < 20 ? 2 : THREADS;

		for (uint64_t k = random_bits() % (poll % 7 == 0 ? 250 : 60); k && lists[0].n < MOST; k--) {
			size_t t = random_bits() % threads;
			struct record r = {++time, random_bits() & UINT32_MAX, 5};
			struct ward_event ev = {.arg = {r.time, r.size, r.level}};

			fn(&ev, l.states[t]);
			lists[t].at[lists[t].n++] = r;
			since[t]++;
		}
		cr_assert_eq(ward_stream_read(
				     stream, (const void *const *)l.states, threads, l.state_size, tell, &told, NULL),
			WARD_OK);
		for (size_t t = 0; t < THREADS; t++) {
			gone += since[t] > 64 ? since[t] - 64 : 0;
			since[t] = 0;
			cr_assert_eq(told.number[t], lists[t].n);
		}
		ward_stream_totals(stream, "last", &n, &lost);
		cr_assert_eq(n, told.n);
		cr_assert_eq(lost, gone);
		cr_assert_eq(n + lost, lists[0].n + lists[1].n + lists[2].n);
	}
	cr_assert_gt(gone, 0);
	ward_stream_close(stream);
	library_close(&l);
}

static void ignore(void *user, const struct ward_field *f, const struct ward_record *r)
{
	(void)user;
	cr_assert_geq(f->n_values, 1u);
	cr_assert_not_null(r->members);
}

/* Counters that jump anywhere cost no more than a look at each slot. */
Test(records, a_stream_of_lies)
{
	struct library l = library_open("records");
	ward_stream *stream;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (unsigned round = 0; round < 200; round++) {
		for (size_t t = 0; t < THREADS; t++)
			for (size_t i = 0; i < l.state_size; i++)
				((uint8_t *)l.states[t])[i] = (uint8_t)(round % 3           ? random_bits()
									: random_bits() % 2 ? 0xff
											    : 0);
		cr_assert_eq(ward_stream_read(
				     stream, (const void *const *)l.states, THREADS, l.state_size, ignore, NULL, NULL),
			WARD_OK);
	}
	ward_stream_close(stream);
	library_close(&l);
}

/* ---- as bytes ---- */

/* The probe's own type. */
struct bytes {
	unsigned long time;
	unsigned int size;
	short level;
	char name[10];
};

static void tell_batch(void *user, const struct ward_batch *b)
{
	struct told *told = user;
	const char *at = b->records;

	if (strcmp(b->layout->field, "last") != 0)
		return;
	cr_assert(b->n && b->thread < THREADS && b->first > told->number[b->thread]);
	for (size_t i = 0; i < b->n; i++, at += b->stride) {
		const struct bytes *r = (const void *)at;
		const struct record *want = &lists[b->thread].at[b->first + i - 1];
		char name[] = "record0";

		name[6] = (char)('0' + want->time % 10);
		cr_assert_leq(b->first + i, lists[b->thread].n);
		cr_assert(r->time == want->time && r->size == want->size && r->level == (short)want->level);
		cr_assert_str_eq(r->name, name);
		told->n++;
	}
	told->number[b->thread] = b->first + b->n - 1;
}

/* Each record once, in order; they may be read one by one between. */
Test(records, as_bytes)
{
	struct library l = library_open("records");
	probe_fn *fn = library_entry(&l, "on_record");
	const void *const *states = (const void *const *)l.states;
	struct told told = {0};
	uint64_t n, lost, time = 0, calls = 0;
	ward_stream *stream;

	memset(lists, 0, sizeof(lists));
	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (unsigned poll = 0; poll < 60; poll++) {
		for (uint64_t k = random_bits() % (poll % 7 == 0 ? 250 : 60); k; k--) {
			size_t t = random_bits() % THREADS;
			struct record r = {++time, random_bits() & UINT32_MAX, (uint64_t)-7};
			struct ward_event ev = {.arg = {r.time, r.size, r.level}};

			if (lists[t].n == MOST)
				break;
			fn(&ev, l.states[t]);
			lists[t].at[lists[t].n++] = r;
			calls++;
		}
		if (poll % 5 == 4)
			cr_assert_eq(
				ward_stream_read(stream, states, THREADS, l.state_size, tell, &told, NULL), WARD_OK);
		else
			cr_assert_eq(
				ward_stream_batch_read(stream, states, THREADS, l.state_size, tell_batch, &told, NULL),
				WARD_OK);
		ward_stream_totals(stream, "last", &n, &lost);
		cr_assert_eq(n, told.n);
		cr_assert_eq(n + lost, calls);
	}
	cr_assert_gt(lost, 0u);
	ward_stream_close(stream);
	library_close(&l);
}

Test(records, how_they_lie)
{
	static const struct {
		const char *name;
		enum ward_field_kind kind;
		uint32_t offset, size;
		bool is_signed;
	} want[] = {{"time", WARD_FIELD_VALUE, offsetof(struct bytes, time), 8, false},
		{"size", WARD_FIELD_VALUE, offsetof(struct bytes, size), 4, false},
		{"level", WARD_FIELD_VALUE, offsetof(struct bytes, level), 2, true},
		{"name", WARD_FIELD_TEXT, offsetof(struct bytes, name), 10, true}};
	struct library l = library_open("records");
	const struct ward_layout *layout;
	ward_stream *stream;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	layout = ward_stream_layout(stream, 0);
	cr_assert_str_eq(layout->field, "last");
	cr_assert_eq(layout->n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < layout->n; i++) {
		const struct ward_member *m = &layout->members[i];

		cr_expect_str_eq(m->name, want[i].name);
		cr_expect(m->kind == want[i].kind && m->offset == want[i].offset && m->size == want[i].size &&
				  m->is_signed == want[i].is_signed && !m->bits,
			"%s", m->name);
	}
	cr_expect_eq(layout->members[0].unit, WARD_UNIT_TIME);
	cr_assert_str_eq(ward_stream_layout(stream, 1)->field, "one");
	cr_assert_null(ward_stream_layout(stream, 2));
	cr_assert_null(ward_stream_layout(NULL, 0));
	cr_assert_eq(ward_stream_batch_read(NULL, NULL, 0, l.state_size, tell_batch, NULL, NULL), WARD_E_USAGE);
	cr_assert_eq(ward_stream_batch_read(stream, NULL, 0, l.state_size, NULL, NULL, NULL), WARD_E_USAGE);
	cr_assert_eq(ward_stream_batch_read(stream, NULL, 1, l.state_size, tell_batch, NULL, NULL), WARD_E_USAGE);
	cr_assert_eq(ward_stream_batch(stream, NULL, tell_batch, NULL, NULL), WARD_E_USAGE);
	ward_stream_close(stream);
	library_close(&l);
}

/* From bytes, as on another machine: what a stream says of the same records. */
struct again {
	const ward_stream *stream;
	struct told told;
	size_t batches;
};

static void batch_again(void *user, const struct ward_batch *b)
{
	struct again *a = user;
	size_t i = b->layout == ward_stream_layout(a->stream, 0) ? 0 : 1;
	struct ward_batch bytes = *b;

	cr_assert(b->layout->size && b->layout->size <= b->stride);
	bytes.layout = NULL;
	cr_assert_eq(ward_stream_unbatch(a->stream, i, &bytes, tell, &a->told, NULL), WARD_OK);
	cr_assert_eq(ward_stream_unbatch(a->stream, 2, &bytes, tell, &a->told, NULL), WARD_E_USAGE);
	bytes.stride = b->layout->size - 1;
	cr_assert_eq(ward_stream_unbatch(a->stream, i, &bytes, tell, &a->told, NULL), WARD_E_USAGE);
	a->batches++;
}

Test(records, from_bytes_again)
{
	struct library l = library_open("records");
	struct again a = {0};
	uint64_t n, lost;
	ward_stream *stream;

	feed(&l, 200);
	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	a.stream = stream;
	cr_assert_eq(ward_stream_batch_read(
			     stream, (const void *const *)l.states, THREADS, l.state_size, batch_again, &a, NULL),
		WARD_OK);
	ward_stream_totals(stream, "last", &n, &lost);
	cr_assert_gt(a.batches, 0u);
	cr_assert_gt(n, 0u);
	cr_assert_eq(a.told.n, n);
	cr_assert_eq(ward_stream_unbatch(NULL, 0, NULL, tell, NULL, NULL), WARD_E_USAGE);
	ward_stream_close(stream);
	library_close(&l);
}

static void touch_batch(void *user, const struct ward_batch *b)
{
	uint64_t *n = user;

	for (size_t i = 0; i < b->n; i++)
		for (size_t m = 0; m < b->layout->n; m++)
			*n += *((const unsigned char *)b->records + i * b->stride + b->layout->members[m].offset +
				      b->layout->members[m].size - 1) == 0;
	*n += b->n;
}

Test(records, bytes_of_lies)
{
	struct library l = library_open("records");
	ward_stream *stream;
	uint64_t n = 0;

	cr_assert_eq(ward_stream_open(l.schema, &stream, NULL), WARD_OK);
	for (unsigned round = 0; round < 200; round++) {
		for (size_t t = 0; t < THREADS; t++)
			for (size_t i = 0; i < l.state_size; i++)
				((uint8_t *)l.states[t])[i] = (uint8_t)(round % 3           ? random_bits()
									: random_bits() % 2 ? 0xff
											    : 0);
		cr_assert_eq(ward_stream_batch_read(stream, (const void *const *)l.states, THREADS, l.state_size,
				     touch_batch, &n, NULL),
			WARD_OK);
	}
	ward_stream_close(stream);
	library_close(&l);
}

/* Where a trace may be made, and gone again. */
static void make_place(char *place, char *trace, size_t size)
{
	strcpy(place, "/tmp/ward-records-XXXXXX");
	cr_assert_not_null(mkdtemp(place));
	snprintf(trace, size, "%s/trace", place);
}

static void remove_place(const char *place)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", place);
	cr_assert_eq(system(command), 0);
}

/* On disk: bytes are as many as the records say, whatever comes between two looks. */
Test(records, on_disk)
{
	struct library l = library_open("records");
	probe_fn *fn = library_entry(&l, "on_record");
	char place[40], trace[60], file[100];
	uint64_t pushed[THREADS] = {0}, seen[THREADS] = {0}, written, lost, gone = 0;
	ward_ctf *ctf;
	struct stat st;

	make_place(place, trace, sizeof(trace));
	cr_assert_eq(ward_ctf_open(trace, l.schema, &ctf, NULL), WARD_OK);
	for (unsigned poll = 0; poll < 60; poll++) {
		size_t threads = poll < 10 ? 1 : poll < 20 ? 2 : THREADS;

		for (uint64_t k = random_bits() % (poll % 7 == 0 ? 250 : 60); k; k--) {
			size_t t = random_bits() % threads;
			struct ward_event ev = {.arg = {poll, random_bits() & UINT32_MAX, 5}};

			fn(&ev, l.states[t]);
			pushed[t]++;
		}
		cr_assert_eq(ward_ctf_read(ctf, (const void *const *)l.states, threads, l.state_size, NULL), WARD_OK);
		for (size_t t = 0; t < THREADS; t++) {
			gone += pushed[t] - seen[t] > 64 ? pushed[t] - seen[t] - 64 : 0;
			seen[t] = pushed[t];
		}
		ward_ctf_totals(ctf, "last", &written, &lost);
		cr_assert_eq(lost, gone);
		cr_assert_eq(written + lost, pushed[0] + pushed[1] + pushed[2]);
	}
	cr_assert_gt(gone, 0);
	cr_assert_eq(ward_ctf_close(ctf, NULL), WARD_OK);
	snprintf(file, sizeof(file), "%s/metadata", trace);
	cr_assert_eq(stat(file, &st), 0);
	remove_place(place);
	library_close(&l);
}

/* A target that writes anything anywhere makes as much work as its rings have slots. */
Test(records, lies_on_disk)
{
	struct library l = library_open("records");
	char place[40], trace[60];
	ward_ctf *ctf;

	make_place(place, trace, sizeof(trace));
	cr_assert_eq(ward_ctf_open(trace, l.schema, &ctf, NULL), WARD_OK);
	for (unsigned round = 0; round < 200; round++) {
		for (size_t t = 0; t < THREADS; t++)
			for (size_t i = 0; i < l.state_size; i++)
				((uint8_t *)l.states[t])[i] = (uint8_t)(round % 3           ? random_bits()
									: random_bits() % 2 ? 0xff
											    : 0);
		cr_assert_eq(ward_ctf_read(ctf, (const void *const *)l.states, THREADS, l.state_size, NULL), WARD_OK);
	}
	cr_assert_eq(ward_ctf_close(ctf, NULL), WARD_OK);
	remove_place(place);
	library_close(&l);
}

/* What was lost because it couldn't be written is counted; the trace goes on. */
Test(records, a_disk_that_refuses)
{
	struct library l = library_open("records");
	probe_fn *fn = library_entry(&l, "on_record");
	struct ward_event ev = {.arg = {1, 2, 3}};
	struct rlimit before, small;
	char place[40], trace[60];
	uint64_t written, lost;
	struct ward_error err;
	ward_ctf *ctf;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 40;
	make_place(place, trace, sizeof(trace));
	cr_assert_eq(ward_ctf_open(trace, l.schema, &ctf, NULL), WARD_OK);
	cr_assert_eq(ward_ctf_read(ctf, NULL, 0, l.state_size, NULL), WARD_OK);
	fn(&ev, l.states[0]);
	setrlimit(RLIMIT_FSIZE, &small);
	cr_assert_eq(ward_ctf_read(ctf, (const void *const *)l.states, 1, l.state_size, &err), WARD_E_SYSTEM);
	cr_assert_eq(err.status, WARD_E_SYSTEM);
	setrlimit(RLIMIT_FSIZE, &before);
	ward_ctf_totals(ctf, "last", &written, &lost);
	cr_assert(written == 0 && lost == 1);
	fn(&ev, l.states[0]);
	cr_assert_eq(ward_ctf_read(ctf, (const void *const *)l.states, 1, l.state_size, &err), WARD_OK);
	ward_ctf_totals(ctf, "last", &written, &lost);
	cr_assert(written == 1 && lost == 1);
	cr_assert_eq(ward_ctf_close(ctf, NULL), WARD_OK);
	remove_place(place);
	library_close(&l);
}

/* What a trace says of its clock. */
static void read_clock(const char *trace, char clock[600])
{
	static char text[1 << 16];
	char path[100], *begin, *end;
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", trace);
	f = fopen(path, "re");
	cr_assert_not_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	begin = strstr(text, "clock {");
	cr_assert_not_null(begin);
	end = strchr(begin, '}');
	cr_assert(end && end - begin < 600);
	snprintf(clock, 600, "%.*s", (int)(end - begin), begin);
}

/* Two traces are written to by turns, for so many microseconds each, and closed one after the other. */
static void write_two(const struct library *l, const char *const trace[2], bool shared, char clock[2][600])
{
	ward_ctf *ctf[2];

	for (int i = 0; i < 2; i++)
		cr_assert_eq(ward_ctf_open(trace[i], l->schema, &ctf[i], NULL), WARD_OK);
	if (shared) {
		cr_assert_eq(ward_ctf_share_clock(ctf[1], ctf[0], NULL), WARD_OK);
		cr_assert_eq(ward_ctf_share_clock(ctf[1], ctf[0], NULL), WARD_OK, "it is so already");
	}
	for (int i = 0; i < 8; i++) {
		cr_assert_eq(ward_ctf_read(ctf[i % 2], (const void *const *)l->states, THREADS, l->state_size, NULL),
			WARD_OK);
		usleep(3000);
	}
	cr_assert_eq(ward_ctf_share_clock(ctf[0], ctf[1], NULL), shared ? WARD_OK : WARD_E_USAGE,
		"it has said already what its clock is");
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(ward_ctf_close(ctf[shared ? i : !i], NULL), WARD_OK);
		usleep(3000);
	}
	for (int i = 0; i < 2; i++)
		read_clock(trace[i], clock[i]);
}

static void two_clocks(const struct library *l, const char *place, int pair, bool shared, char clock[2][600])
{
	char path[2][60];

	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof(path[i]), "%s/trace%d", place, 2 * pair + i);
	write_two(l, (const char *const[]){path[0], path[1]}, shared, clock);
}

/*
 * One count means one moment in both, to the last nanosecond. Two clocks of their own are measured apart: they differ,
 * but on a quiet machine two measurements come out the same now and then, so one pair of many has to.
 */
Test(records, a_clock_of_two_traces)
{
	struct library l = library_open("records");
	char place[40], path[60], clock[2][600];
	bool differ = false;

	make_place(place, path, sizeof(path));
	two_clocks(&l, place, 1, true, clock);
	cr_expect_str_eq(clock[0], clock[1]);
	for (int pair = 2; pair < 50 && !differ; pair++) {
		two_clocks(&l, place, pair, false, clock);
		differ = strcmp(clock[0], clock[1]);
	}
	cr_expect(differ);
	remove_place(place);
	library_close(&l);
}

/* Whose clock is another trace's can't take a third one's; a trace that was never written to leaves nothing. */
Test(records, a_clock_that_is_taken)
{
	struct library l = library_open("records");
	char place[40], path[3][60];
	struct ward_error err;
	ward_ctf *ctf[3];

	make_place(place, path[0], sizeof(path[0]));
	for (int i = 0; i < 3; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/trace%d", place, i);
		cr_assert_eq(ward_ctf_open(path[i], l.schema, &ctf[i], NULL), WARD_OK);
	}
	cr_expect_eq(ward_ctf_share_clock(ctf[1], ctf[0], &err), WARD_OK);
	cr_expect_eq(ward_ctf_share_clock(ctf[0], ctf[2], &err), WARD_E_USAGE);
	cr_expect(err.why[0] && err.hint[0]);
	cr_expect_eq(ward_ctf_share_clock(ctf[2], ctf[1], &err), WARD_OK);
	for (int i = 0; i < 3; i++)
		cr_expect_eq(ward_ctf_close(ctf[i], NULL), WARD_OK);
	cr_expect_eq(rmdir(place), 0);
	library_close(&l);
}

/* A record that is being written has no number, or that of another slot once it has gone round: it is left out. */
Test(records, incomplete_ones_are_left_out)
{
	struct library l = library_open("records");
	struct slot {
		uint64_t number, time;
		uint8_t rest[16];
	} *slots;
	const struct ward_field *f;
	ward_snapshot *s;

	feed(&l, 0);
	for (int i = 0; i < 10; i++) {
		struct ward_event ev = {.arg = {100 + (unsigned)i}};

		library_entry(&l, "on_record")(&ev, l.states[0]);
	}
	slots = (struct slot *)((uint8_t *)l.states[0] + 8);
	cr_assert_eq(slots[4].number, 5u);
	slots[4].number = 0;
	slots[7].number = 9;
	s = library_merge(&l, 0, 1);
	f = library_field(s, "last");
	cr_assert_eq(f->n, (size_t)8);
	cr_assert_eq(f->lost, 2u);
	for (size_t i = 0; i < f->n; i++)
		cr_assert(f->records[i].number != 5 &&
			  library_part(f->records[i].members, f->n_values, "time")->value != 107);
	ward_snapshot_free(s);
	library_close(&l);
}

Test(records, garbage)
{
	struct library l = library_open("records");

	library_merge_garbage(&l);
	library_close(&l);
}
