/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-state [--check] PROBE.C: what reading states costs, in processor time. Medians of rounds, each beside what
 * it is compared with: a snapshot of maps beside a copy of their slots; records of queues as bytes beside records one
 * by one.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "codegen/codegen.h"
#include "state.h"
#include "ward/ward.h"

enum { THREADS = 16, KEYS = 2048, RECORDS = 20000, ROUNDS = 31 };

struct bench {
	ward_schema *schema;
	struct ward_state *states[THREADS];
	uint64_t seen;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), by_number);
	return times[ROUNDS / 2];
}

static bool told(const struct ward_error *err)
{
	if (err->status)
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", err->what, err->why, err->hint);
	return err->status != 0;
}

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static bool open_bench(struct bench *b, const char *probe)
{
	struct ward_cc_options options = {.diag = say};
	struct ward_error err = {0};
	struct ward_buf module;

	if (ward_cc(probe, &options, &module) != 0)
		return false;
	ward_schema_read(module.data, module.size, &b->schema, &err);
	free(module.data);
	for (size_t t = 0; t < THREADS; t++) {
		b->states[t] = mmap(NULL, sizeof(struct ward_state), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); /* as the states of a session */
		if (b->states[t] == MAP_FAILED)
			return false;
		for (unsigned long i = 0; i < KEYS; i++)
			ward_map_add(&b->states[t]->by_number, i * 4097, 1);
	}
	return !told(&err);
}

/* ---- snapshots ---- */

static bool take_snapshot(struct bench *b, double *ns)
{
	struct ward_error err = {0};
	ward_snapshot *s;
	double start = now_ns();
	size_t n = 0;

	if (ward_snapshot_merge(
		    b->schema, (const void *const *)b->states, THREADS, sizeof(struct ward_state), &s, &err))
		return !told(&err);
	*ns = now_ns() - start;
	for (size_t i = 0; i < ward_snapshot_fields(s); i++)
		if (strcmp(ward_snapshot_field(s, i)->name, "by_number") == 0)
			n = ward_snapshot_field(s, i)->n;
	ward_snapshot_free(s);
	return n == KEYS;
}

static double copy_slots(const struct bench *b)
{
	static char copy[sizeof(b->states[0]->by_number)];
	double start = now_ns();

	for (size_t t = 0; t < THREADS; t++) {
		memcpy(copy, &b->states[t]->by_number, sizeof(copy));
		__asm__ volatile("" ::"r"(copy) : "memory");
	}
	return now_ns() - start;
}

static bool bench_snapshots(struct bench *b)
{
	double taken[ROUNDS], copied[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		copied[i] = copy_slots(b);
		if (!take_snapshot(b, &taken[i]))
			return false;
	}
	printf("a snapshot of %d threads with %d keys each: %.2f ms, %.0f times a copy of the slots\n", THREADS, KEYS,
		median(taken) / 1e6, median(taken) / median(copied));
	return true;
}

/* ---- records ---- */

static void count_record(void *user, const struct ward_field *field, const struct ward_record *record)
{
	struct bench *b = user;

	(void)field;
	b->seen += record->members[1].value;
}

static void push_records(struct bench *b)
{
	for (unsigned long i = 0; i < RECORDS; i++)
		fill(b->states[0], i & 2047, i);
}

static bool poll_records(struct bench *b, ward_stream *stream, double *ns)
{
	struct ward_error err = {0};
	double start;

	push_records(b);
	b->seen = 0;
	start = now_ns();
	if (ward_stream_read(
		    stream, (const void *const *)b->states, 1, sizeof(struct ward_state), count_record, b, &err))
		return !told(&err);
	*ns = now_ns() - start;
	return true;
}

/* As a program reads them that knows the probe's types. */
static void count_batch(void *user, const struct ward_batch *batch)
{
	struct bench *b = user;
	const char *at = batch->records;

	for (size_t i = 0; i < batch->n; i++, at += batch->stride)
		b->seen += ((const struct record *)at)->number;
}

static bool batch_records(struct bench *b, ward_stream *stream, double *ns)
{
	struct ward_error err = {0};
	double start;

	push_records(b);
	b->seen = 0;
	start = now_ns();
	if (ward_stream_batch_read(
		    stream, (const void *const *)b->states, 1, sizeof(struct ward_state), count_batch, b, &err))
		return !told(&err);
	*ns = now_ns() - start;
	return true;
}

static uint64_t expected(void)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < RECORDS; i++)
		sum += i & 2047;
	return sum;
}

static bool bench_records(struct bench *b)
{
	double one[ROUNDS], many[ROUNDS];
	ward_stream *stream;

	if (ward_stream_open(b->schema, &stream, NULL))
		return false;
	for (size_t i = 0; i < ROUNDS; i++)
		if (!poll_records(b, stream, &one[i]) || b->seen != expected() || !batch_records(b, stream, &many[i]) ||
			b->seen != expected())
			return false;
	printf("records one by one: %.2f million a second; as bytes: %.1f million, %.0f times as many\n",
		RECORDS * 1e3 / median(one), RECORDS * 1e3 / median(many), median(one) / median(many));
	ward_stream_close(stream);
	return true;
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
	FILE *quiet = check ? freopen("/dev/null", "w", stdout) : stdout;
	bool done;

	if (argc < 2 + check || !quiet) {
		fputs("usage: ward-bench-state [--check] PROBE.C\n", stderr);
		return 2;
	}
	done = open_bench(&b, argv[1 + check]) && bench_snapshots(&b) && bench_records(&b);
	ward_schema_free(b.schema);
	if (!done)
		fputs("ward-bench-state: FAILED\n", stderr);
	return !done;
}
