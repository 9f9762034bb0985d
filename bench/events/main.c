/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-events: what tracing adds to a call.
 *
 *	ward-bench-events [--check] PROGRAMS BENCH-PROBES [ROWS]
 *
 * A target program (target.h) calls an untraced function and its traced twin in turn. The table shows the difference
 * of the medians, in ns of the thread's own processor time for a call. Each cell is the median over ROUNDS processes.
 * Each round measures all rows and columns in turn, so that a temporary disturbance of the machine affects all of
 * them. First come the floors, which are written by hand in the target itself (floors.S), then Ward, whose probes are
 * attached from outside to a running process, then the peers that are installed. The loads:
 *
 *	loop           a function of three instructions, in a tight loop
 *	recursion      a function that calls itself 20 or 1,000 deep
 *	two threads    the loop, in two threads at once; ns of each
 *	sqlite         sqlite3_value_type while sqlite answers queries over a table in memory
 *
 * Three more parts follow: every function at once (every.h), records to disk (stream.h), and the pauses at attaching
 * and detaching (pause.h).
 *
 * Ward's events are counted, and must equal the number of calls. --check: run each of Ward's rows and of the floors
 * once, shortly, and print no times. ROWS: only rows with this in their names, and L1; or only one of the parts
 * "every", "stream", "pause"; or "parts": what the dearest rows' costs are made of.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "every.h"
#include "pause.h"
#include "stream.h"
#include "tracers.h"

enum {
	ROUNDS = 3,
	REPETITIONS = 31,
	MOST_ROWS = 48,
	ALL = (1 << WORKLOADS) - 1,
	SIMPLE = 1 << LOOP | 1 << TWO_THREADS,
	PARTS_OF = 1 << LOOP | 1 << SQLITE, /* rows that are parts of others */
};

enum kind { FLOOR, WARD, BPFTRACE, LTTNG, UFTRACE };

struct row {
	const char *name;
	enum kind kind;
	unsigned workloads; /* bits */
	enum entry entry;
	enum floor floor;
	bool forked;
	const char *text; /* WARD: the probe; BPFTRACE: the program */
	unsigned events;  /* WARD: of each call */
	uint64_t calls;   /* a repetition */
};

#define HIT(what) "uprobe:%s " what

static const struct row rows[] = {
	{"L1: jump, count, jump", FLOOR, ALL, PUSH, L1, false, NULL, 0, 200000},
	{"Ward: nothing", WARD, ALL, PUSH, NO_FLOOR, false, "empty", 1, 200000},
	{"Ward: count", WARD, ALL, PUSH, NO_FLOOR, false, "count", 1, 200000},
	{"Ward: count, at a nop", WARD, SIMPLE, NOP, NO_FLOOR, false, "count", 1, 200000},
	{"Ward: count, at endbr64", WARD, SIMPLE, ENDBR64, NO_FLOOR, false, "count", 1, 200000},
	{"Ward: count, in a forked child", WARD, 1 << LOOP, PUSH, NO_FLOOR, true, "count", 1, 200000},
	{"Ward: predicate, false", WARD, ALL, PUSH, NO_FLOOR, false, "filter", 1, 200000},
	{"Ward: log2 histogram", WARD, ALL, PUSH, NO_FLOOR, false, "log2", 1, 200000},
	{"Ward: count by key", WARD, ALL, PUSH, NO_FLOOR, false, "map", 1, 200000},
	{"Ward: the time, added up", WARD, PARTS_OF, PUSH, NO_FLOOR, false, "time", 1, 200000},
	{"Ward: record of 32 bytes, no time", WARD, PARTS_OF, PUSH, NO_FLOOR, false, "untimed", 1, 200000},
	{"L2: record of 16 bytes with time", FLOOR, ALL, PUSH, L2, false, NULL, 0, 200000},
	{"Ward: record of 32 bytes with time", WARD, ALL, PUSH, NO_FLOOR, false, "record", 1, 200000},
	{"L3: count entry and return", FLOOR, ALL, PUSH, L3, false, NULL, 0, 200000},
	{"Ward: count entry and return", WARD, ALL, PUSH, NO_FLOOR, false, "both", 2, 200000},
	{"L4: time from entry to return", FLOOR, ALL, PUSH, L4, false, NULL, 0, 200000},
	{"Ward: latency histogram", WARD, ALL, PUSH, NO_FLOOR, false, "latency", 1, 200000},
	{"Ward: call tree", WARD, ALL, PUSH, NO_FLOOR, false, "graph", 2, 200000},
	{"bpftrace: count, at a push", BPFTRACE, ALL, PUSH, NO_FLOOR, false, HIT("{ @ = count(); }"), 0, 4000},
	{"bpftrace: count, at a nop", BPFTRACE, SIMPLE, NOP, NO_FLOOR, false, HIT("{ @ = count(); }"), 0, 4000},
	{"bpftrace: count, at endbr64", BPFTRACE, SIMPLE, ENDBR64, NO_FLOOR, false, HIT("{ @ = count(); }"), 0, 2000},
	{"bpftrace: predicate, false", BPFTRACE, ALL, PUSH, NO_FLOOR, false, HIT("/arg0 == -1/ { @ = count(); }"), 0,
		4000},
	{"bpftrace: log2 histogram", BPFTRACE, ALL, PUSH, NO_FLOOR, false, HIT("{ @ = hist(arg0); }"), 0, 4000},
	{"bpftrace: count by key", BPFTRACE, ALL, PUSH, NO_FLOOR, false, HIT("{ @[arg0 & 15] = count(); }"), 0, 4000},
	{"bpftrace: count entry and return", BPFTRACE, ALL, PUSH, NO_FLOOR, false,
		HIT("{ @a = count(); } uretprobe:%s { @b = count(); }"), 0, 2000},
	{"bpftrace: latency histogram", BPFTRACE, ALL, PUSH, NO_FLOOR, false,
		HIT("{ @at[tid] = nsecs; } uretprobe:%s /@at[tid]/ { @ = hist(nsecs - @at[tid]); delete(@at[tid]); }"),
		0, 2000},
	{"LTTng-UST: record (recompiled)", LTTNG, SIMPLE, PUSH, NO_FLOOR, false, NULL, 0, 40000},
	{"uftrace: entry + return, patchable", UFTRACE, 1 << LOOP, NOP, NO_FLOOR, false, "traced_nop", 0, 40000},
	{"uftrace: entry + return, unmodified", UFTRACE, 1 << LOOP | 1 << RECURSION_20, PUSH, NO_FLOOR, false,
		"traced_push", 0, 40000},
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

static const char *const loads[WORKLOADS] = {"loop", "recursion 20", "1,000 deep", "two threads", "sqlite"};

struct cell {
	double added[ROUNDS], plain[ROUNDS];
	unsigned n;
	uint64_t dropped;
};

struct bench {
	struct place place;
	struct ward_buf modules[ROWS];
	struct lttng lttng;
	bool has[UFTRACE + 1], check;
	const char *only; /* or NULL */
	unsigned rounds, repetitions;
	uint64_t queries; /* calls of sqlite3_value_type a repetition, as L1 counts them */
	struct cell cells[ROWS][WORKLOADS];
	struct ward_buf every_module, stream_module;
	struct every every;
	struct stream stream;
	struct pause pause, threads; /* many functions, and many threads */
};

/* ---- what is there ---- */

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static bool compile_one(const char *folder, const char *name, struct ward_buf *module)
{
	struct ward_cc_options options = {.diag = say};
	char path[400];

	snprintf(path, sizeof(path), "%s/%s.c", folder, name);
	if (ward_cc(path, &options, module) == 0)
		return true;
	fprintf(stderr, "ward: %s: can't be compiled\n", path);
	return false;
}

static bool compile(struct bench *b, const char *folder)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].kind == WARD && !compile_one(folder, rows[i].text, &b->modules[i]))
			return false;
	return compile_one(folder, "every", &b->every_module) && compile_one(folder, "stream", &b->stream_module);
}

static bool installed(const char *command)
{
	const char *const argv[] = {command, "--version", NULL};
	pid_t pid = start(argv, NULL);

	return pid > 0 && ended_well(pid);
}

static void find_peers(struct bench *b)
{
	char program[300];

	snprintf(program, sizeof(program), "%s/ward-bench-target-lttng", b->place.programs);
	b->lttng.work = b->place.work;
	b->has[FLOOR] = b->has[WARD] = true;
	if (b->check)
		return;
	b->has[BPFTRACE] = installed("bpftrace");
	b->has[UFTRACE] = installed("uftrace");
	b->has[LTTNG] = access(program, X_OK) == 0 && installed("lttng-sessiond");
	if (!b->has[BPFTRACE] || !b->has[UFTRACE] || !b->has[LTTNG])
		printf("Not here, so not measured:%s%s%s. Install bpftrace, uftrace, lttng-tools and liblttng-ust-dev, "
		       "and build again, to have them beside Ward.\n\n",
			b->has[BPFTRACE] ? "" : " bpftrace", b->has[UFTRACE] ? "" : " uftrace",
			b->has[LTTNG] ? "" : " LTTng-UST");
}

/* What a row's cost is made of, by rows that have less; what is left is what they do together. */
struct breakdown {
	const char *row, *part[2];
	const char *name[2];
};

static const struct breakdown breakdowns[] = {
	{"Ward: predicate, false", {"Ward: nothing"}, {"stub"}},
	{"Ward: record of 32 bytes with time", {"Ward: nothing", "Ward: the time, added up"}, {"stub", "time"}},
	{"Ward: record of 32 bytes, no time", {"Ward: nothing"}, {"stub"}},
	{"Ward: latency histogram", {"Ward: count entry and return", "L4: time from entry to return"},
		{"entry and return", "time twice"}},
};

static bool is_broken_down(const char *name)
{
	for (size_t i = 0; i < sizeof(breakdowns) / sizeof(*breakdowns); i++)
		for (unsigned k = 0; k < 2; k++)
			if (!strcmp(breakdowns[i].row, name) ||
				(breakdowns[i].part[k] && !strcmp(breakdowns[i].part[k], name)))
				return true;
	return false;
}

/* Parts that have rows of their own, and no rows of the table. */
static bool is_part(const char *name)
{
	return !strcmp(name, "every") || !strcmp(name, "stream") || !strcmp(name, "pause");
}

static bool wanted(const struct bench *b, unsigned row)
{
	if (!b->has[rows[row].kind] || (b->only && is_part(b->only)))
		return false;
	if (b->only && !strcmp(b->only, "parts"))
		return rows[row].kind == FLOOR || is_broken_down(rows[row].name);
	return !b->only || row == 0 || strstr(rows[row].name, b->only);
}

static unsigned loads_wanted(const struct bench *b)
{
	return b->only && !strcmp(b->only, "parts") ? PARTS_OF : ALL;
}

static bool wanted_part(const struct bench *b, const char *name)
{
	return !b->only || !strcmp(b->only, name);
}

/* ---- a cell ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *samples, unsigned n)
{
	double sorted[MOST_REPETITIONS];

	memcpy(sorted, samples, n * sizeof(*samples));
	qsort(sorted, n, sizeof(*sorted), ascending);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static bool run_row(struct bench *b, unsigned i, struct run *run, uint64_t *dropped)
{
	const struct row *row = &rows[i];
	char trace[100], log[100];
	struct ward_probe probe = {
		.module = &b->modules[i], .events_per_call = row->events, .made = b->queries * run->repetitions};
	struct bpftrace bpftrace = {.program = row->text, .output = log};
	const char *const uftrace[] = {"uftrace", "record", "--no-libcall", "-d", trace, "-P",
		run->workload == LOOP ? row->text : "traced_recursive", NULL};
	struct tracer tracer = {0};
	bool ok;

	snprintf(trace, sizeof(trace), "%s/uftrace", b->place.work);
	snprintf(log, sizeof(log), "%s/log", b->place.work);
	switch (row->kind) {
	case WARD: tracer = (struct tracer){.attach = ward_begin, .detach = ward_end, .user = &probe}; break;
	case BPFTRACE:
		tracer = (struct tracer){.attach = bpftrace_begin, .detach = bpftrace_end, .user = &bpftrace};
		break;
	case LTTNG:
		tracer.program = "ward-bench-target-lttng";
		if (!lttng_open(&b->lttng))
			return false;
		break;
	case UFTRACE:
		tracer.prefix = uftrace;
		tracer.program = row->entry == NOP ? "ward-bench-target-patchable" : "ward-bench-target-unpadded";
		break;
	case FLOOR: break;
	}
	ok = run_target(&b->place, run, &tracer);
	if (row->kind == LTTNG)
		lttng_close(&b->lttng);
	*dropped = probe.dropped;
	return ok;
}

static bool measure(struct bench *b, unsigned i, enum workload load)
{
	const struct row *row = &rows[i];
	struct cell *c = &b->cells[i][load];
	struct run run = {.workload = load,
		.entry = row->entry,
		.floor = row->floor,
		.forked = row->forked,
		.repetitions = b->repetitions,
		.calls = row->calls};

	if (b->check)
		run.calls = run.calls / 20 + 4000;
	if (load == SQLITE) /* the same queries for all: Ward's events are compared with how many there are */
		run.calls = b->check ? 4000 : 20000;
	if (!run_row(b, i, &run, &c->dropped)) {
		fprintf(stderr, "ward: bench: %s: %s: failed\n", row->name, loads[load]);
		return false;
	}
	if (load == SQLITE && row->floor == L1)
		b->queries = run.made / run.repetitions;
	double plain = median(run.plain, run.repetitions), traced = median(run.traced, run.repetitions),
	       n = load == SQLITE ? (double)b->queries : 1;
	c->plain[c->n] = plain / n;
	c->added[c->n++] = (traced - plain) / n;
	return true;
}

static bool measure_all(struct bench *b)
{
	bool tell = isatty(2), ok = true;

	for (unsigned round = 0; round < b->rounds && ok; round++) {
		if (wanted_part(b, "every"))
			ok = every_round(
				&b->every, &b->place, &b->every_module, b->check ? 4000 : 20000, b->repetitions);
		if (ok && wanted_part(b, "stream"))
			ok = stream_round(&b->stream, &b->place, &b->stream_module, b->check ? 200000 : STREAM_RATE);
		if (ok && wanted_part(b, "pause"))
			ok = pause_round(&b->pause, &b->place, &b->every_module) &&
			     pause_round(&b->threads, &b->place, &b->every_module);
		for (unsigned i = 0; i < ROWS && ok; i++) {
			if (!wanted(b, i))
				continue;
			if (tell)
				fprintf(stderr, "\r\033[K%u of %u: %s", round * ROWS + i + 1, b->rounds * ROWS,
					rows[i].name);
			for (enum workload load = 0; load < WORKLOADS; load++)
				if (rows[i].workloads & loads_wanted(b) & 1u << load)
					ok = (measure(b, i, load) || rows[i].kind >= BPFTRACE) &&
					     ok; /* a peer that fails is said to, and has no figure */
		}
	}
	if (tell)
		fputs("\r\033[K", stderr);
	return ok;
}

/* ---- the table ---- */

static double added(const struct bench *b, unsigned row, enum workload load)
{
	const struct cell *c = &b->cells[row][load];

	return c->n ? median(c->added, c->n) : 0;
}

static void print_plain(const struct bench *b)
{
	printf("%-36s", "a call that isn't traced");
	for (enum workload load = 0; load < WORKLOADS; load++)
		if (b->cells[0][load].n)
			printf(" %12.2f ", median(b->cells[0][load].plain, b->cells[0][load].n));
		else
			printf(" %13s", "");
	printf("\n");
}

static void print_table(const struct bench *b)
{
	bool dropped = false;

	printf("%-36s", "ns added to a call");
	for (enum workload load = 0; load < WORKLOADS; load++)
		printf(" %13s", loads[load]);
	printf("\n");
	print_plain(b);
	for (unsigned i = 0; i < ROWS; i++) {
		if (!wanted(b, i))
			continue;
		printf("%-36s", rows[i].name);
		for (enum workload load = 0; load < WORKLOADS; load++) {
			const struct cell *c = &b->cells[i][load];
			if (c->n)
				printf(" %12.2f%s", added(b, i, load), c->dropped ? "*" : " ");
			else
				printf(" %13s", "");
			dropped |= c->dropped > 0;
		}
		printf("\n");
	}
	if (dropped)
		printf("* some events were dropped, and counted as such\n");
}

static unsigned find(const char *name)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return i;
	abort();
}

static void print_aim(const struct bench *b, const char *name, const char *other, enum workload load, double most)
{
	double x = added(b, find(name), load), y = added(b, find(other), load);

	printf("%-36s %-36s %-12s %8.2f %8.2f %7.2f %8.2f  %s\n", name, other, loads[load], x, y, x / y, most,
		x <= most * y ? "yes" : "no");
}

/* In nanoseconds. */
static void print_limit(const struct bench *b, const char *name, enum workload load, double most)
{
	double x = added(b, find(name), load);

	printf("%-36s %-36s %-12s %8.2f %8s %7s %8.2f  %s\n", name, "", loads[load], x, "", "", most,
		x < most ? "yes" : "no");
}

static void print_aims(const struct bench *b)
{
	static const enum workload both[] = {LOOP, SQLITE};
	double loop = added(b, find("Ward: count"), LOOP) + median(b->cells[0][LOOP].plain, b->rounds);
	double two = added(b, find("Ward: count"), TWO_THREADS) + median(b->cells[0][TWO_THREADS].plain, b->rounds);

	printf("\n%-36s %-36s %-12s %8s %8s %7s %8s  %s\n", "", "beside", "load", "ns", "ns", "ratio", "at most",
		"met");
	print_aim(b, "Ward: count", "L1: jump, count, jump", SQLITE, 2);
	for (unsigned i = 0; i < 2; i++) {
		print_aim(b, "Ward: record of 32 bytes with time", "L2: record of 16 bytes with time", both[i], 1.5);
		print_aim(b, "Ward: count entry and return", "L3: count entry and return", both[i], 2);
		print_aim(b, "Ward: latency histogram", "L4: time from entry to return", both[i], 1.3);
	}
	print_limit(b, "Ward: predicate, false", LOOP, 1);
	print_limit(b, "Ward: count, in a forked child", LOOP, 1);
	print_limit(b, "Ward: count", LOOP, 2);
	printf("Counting, two threads make %.2f times the calls that one makes in the same processor time each; 1.95 "
	       "are to be met: %s.\n",
		2 * loop / two, 2 * loop / two >= 1.95 ? "yes" : "no");
}

/* What a part costs beyond the first one: floors have the same parts in their own rows. */
static double beyond(const struct bench *b, const struct breakdown *d, enum workload load)
{
	double first = strncmp(d->part[1], "L4", 2) == 0 ? added(b, find("L3: count entry and return"), load)
							 : added(b, find(d->part[0]), load);

	return added(b, find(d->part[1]), load) - first;
}

static void print_breakdown(const struct bench *b, const struct breakdown *d, enum workload load)
{
	double all = added(b, find(d->row), load), left = all - added(b, find(d->part[0]), load);

	printf("%-36s %-8s %6.2f = %s %.2f", d->row, loads[load], all, d->name[0], added(b, find(d->part[0]), load));
	if (d->part[1]) {
		printf(" + %s %.2f", d->name[1], beyond(b, d, load));
		left -= beyond(b, d, load);
	}
	printf(" + the rest %.2f\n", left);
}

static void print_breakdowns(const struct bench *b)
{
	printf("\nWhat that is made of:\n");
	for (size_t i = 0; i < sizeof(breakdowns) / sizeof(*breakdowns); i++) {
		print_breakdown(b, &breakdowns[i], LOOP);
		print_breakdown(b, &breakdowns[i], SQLITE);
	}
}

static void print_every(const struct bench *b)
{
	const struct every *e = &b->every;

	if (!e->n)
		return;
	printf("\nEvery function of the target and its libraries at once, a count for each: %lu sites (%lu more can't "
	       "be probed) attached in %.0f ms; the queries, with %lu events, take %.2f times as long: a call comes "
	       "every %.1f ns, and takes %.1f more.\n",
		(unsigned long)e->sites, (unsigned long)e->skipped, median(e->attach_ms, e->n),
		(unsigned long)e->events, median(e->ratio, e->n), median(e->plain_ns, e->n), median(e->added_ns, e->n));
}

static void print_stream(const struct bench *b)
{
	const struct stream *s = &b->stream;

	if (!s->n)
		return;
	printf("\nRecords of 32 bytes with time, from one thread to a file on disk: %.1f million a second made, %lu of "
	       "%lu written, %lu lost; %.0f ns of the reader's processor time for each.\n",
		median(s->rate, s->n) / 1e6, (unsigned long)s->written, (unsigned long)s->made, (unsigned long)s->lost,
		median(s->reader_ns, s->n));
}

static void print_stages(const struct pause_times *times, unsigned n, const char *name)
{
	double all = 0;

	printf("%s: the busy thread is held for %.2f ms, and sees a gap of %.2f; one that sleeps is held for %.2f.\n",
		name, median(times->busy, n), median(times->gap, n), median(times->longest, n));
	for (unsigned i = 0; i < PAUSE_STAGES; i++) {
		double ms = median(times->stage[i], n);

		printf("  %-28s %8.2f ms\n", pause_stages[i], ms);
		all += ms;
	}
	printf("  %-28s %8.2f ms\n", "in all", all);
}

static void print_pause(const struct pause *p)
{
	if (!p->n)
		return;
	printf("\n%lu function%s of a process of %u threads, of which one is busy and the others sleep. Without an "
	       "attach the busy one sees gaps of up to %.2f ms in the clock.\n",
		(unsigned long)p->sites, p->sites == 1 ? "" : "s", p->threads, median(p->plain, p->n));
	print_stages(&p->attach, p->n, "Attach");
	print_stages(&p->detach, p->n, "Detach");
}

int main(int argc, char **argv)
{
	static struct bench b;
	bool ok;

	b.check = argc > 1 && !strcmp(argv[1], "--check");
	b.only = argc > 3 + b.check ? argv[3 + b.check] : NULL;
	if (argc != 3 + b.check && argc != 4 + b.check) {
		fprintf(stderr, "usage: ward-bench-events [--check] PROGRAMS BENCH-PROBES [ROWS]\n");
		return 2;
	}
	b.pause = (struct pause){.site = "libsqlite3.so.0*!*", .threads = 64};
	b.threads = (struct pause){.threads = b.check ? 200 : 2000};
	b.rounds = b.check ? 1 : ROUNDS;
	b.repetitions = b.check ? 2 : REPETITIONS;
	snprintf(b.place.programs, sizeof(b.place.programs), "%s", argv[1 + b.check]);
	snprintf(b.place.work, sizeof(b.place.work), "/tmp/ward-bench-XXXXXX");
	if (!mkdtemp(b.place.work)) {
		fprintf(stderr, "ward: bench: no folder in /tmp can be made\n");
		return 1;
	}
	find_peers(&b);
	ok = compile(&b, argv[2 + b.check]) && measure_all(&b);
	const char *const tidy[] = {"rm", "-rf", b.place.work, NULL};
	ended_well(start(tidy, NULL));
	for (unsigned i = 0; i < ROWS; i++)
		free(b.modules[i].data);
	free(b.every_module.data);
	free(b.stream_module.data);
	if (!ok)
		return 1;
	if (b.check) {
		printf("events: each floor and each probe on each load: all results right, all calls counted\n");
		return 0;
	}
	if (!b.only || !is_part(b.only)) {
		printf("What tracing adds to a call: medians of %u processes, in each of which %u repetitions with and "
		       "without take turns; ns of the thread's own processor time.\n\n",
			b.rounds, b.repetitions);
		print_table(&b);
	}
	if (!b.only)
		print_aims(&b);
	if (!b.only || !strcmp(b.only, "parts"))
		print_breakdowns(&b);
	print_every(&b);
	print_stream(&b);
	print_pause(&b.pause);
	print_pause(&b.threads);
	return 0;
}
