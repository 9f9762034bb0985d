/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of two targets' records, as cli/merge_records.c alone produces it: the test makes up the records and the
 * rounds of reading.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cli/cli.h"

/* What it needs of the others' code. A record is printed as its target and its last member. */
bool cli_field_is_line(const struct ward_field *f)
{
	return f->kind == WARD_FIELD_VALUE;
}

void cli_field_text(
	const struct cli_output *out, char *text, size_t size, const struct ward_field *f, struct cli_origin from)
{
	(void)out;
	(void)from;
	snprintf(text, size, "%lu", f->value);
}

char *cli_json_record_text(struct cli_output *out, const struct ward_field *f, const struct ward_record *r)
{
	char text[64];
	snprintf(text, sizeof(text), "%c%lu", *out->from, r->members[f->n_values - 1].value);
	return strdup(text);
}

static uint64_t told, late, others;

void cli_json_sequence(struct cli_output *out, const struct cli_merge *j)
{
	cr_assert_null(out->from, "it is of both");
	told = j->printed;
	late = j->late;
	others = j->others;
}

int cli_error(int status, const char *what, const char *hint, const char *why, ...)
{
	(void)what;
	(void)hint;
	(void)why;
	return status;
}

static const struct ward_field parts[] = {{.name = "time", .kind = WARD_FIELD_VALUE},
	{.name = "tid", .kind = WARD_FIELD_VALUE}, {.name = "what", .kind = WARD_FIELD_VALUE}};
static const struct ward_field whole = {.name = "ring", .kind = WARD_FIELD_RING, .n_values = 3, .parts = parts};
static const struct ward_field timeless = {.name = "ring", .kind = WARD_FIELD_RING, .n_values = 1, .parts = &parts[2]};
static const struct ward_field nameless = {.name = "ring", .kind = WARD_FIELD_RING, .n_values = 1, .parts = parts};

/* The process's state has one ring, this one. */
static const struct ward_field *ring;

size_t ward_snapshot_fields(const ward_snapshot *snapshot)
{
	(void)snapshot;
	return 1;
}

const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i)
{
	(void)snapshot;
	(void)i;
	return ring;
}

/* A trace: what it told, and its parts. */
static struct {
	struct cli_merge merge;
	struct cli_output out[2];
	char *text;
	size_t size;
	uint64_t start;
} t;

static void begin(const struct ward_field *of_process)
{
	FILE *file = open_memstream(&t.text, &t.size);
	ring = of_process;
	t.out[0] = (struct cli_output){.file = file, .json = true, .from = "process"};
	t.out[1] = (struct cli_output){.file = file, .json = true, .from = "kernel"};
	t.start = __rdtsc();
	cr_assert(cli_merge_open(&t.merge, NULL));
	cli_merge_round(&t.merge);
}

/* At so many counts of the clock after the beginning, which is when rounds are seen to begin as well. */
static void add(bool kernel, const struct ward_field *f, uint64_t time, uint64_t tid, uint64_t what)
{
	struct ward_field members[3] = {parts[0], parts[1], parts[2]};
	members[0].value = time;
	members[1].value = tid;
	members[2].value = what;
	cli_merge_add(&t.merge, &t.out[kernel], kernel, f,
		&(struct ward_record){.members = f == &timeless ? &members[2] : members});
}

static void tell(bool all)
{
	cli_merge_print(&t.merge, &t.out[0], all);
	fflush(t.out[0].file);
}

static void next_round(void)
{
	tell(false);
	cli_merge_round(&t.merge);
}

static bool is_told(const char *lines)
{
	if (strcmp(t.text, lines) != 0)
		printf("%s, not %s\n", t.text, lines);
	return strcmp(t.text, lines) == 0;
}

static void end(void)
{
	cli_merge_end(&t.merge, &t.out[0]);
	cli_merge_free(&t.merge);
	fclose(t.out[0].file);
	free(t.text);
}

Test(merge, in_order_of_time_whoever_is_read_first)
{
	begin(&whole);
	add(true, &whole, t.start - 30, 7, 2);
	add(false, &whole, t.start - 40, 7, 1);
	add(false, &whole, t.start - 10, 7, 4);
	add(true, &whole, t.start - 20, 7, 3);
	tell(true);
	cr_expect(is_told("p1\nk2\nk3\np4\n"));
	end();
	cr_expect(told == 4 && late == 0 && others == 0);
}

Test(merge, of_one_time_as_they_were_read)
{
	begin(&whole);
	for (uint64_t i = 1; i <= 9; i++)
		add(false, &whole, t.start, 7, i);
	tell(true);
	cr_expect(is_told("p1\np2\np3\np4\np5\np6\np7\np8\np9\n"));
	end();
}

Test(merge, what_may_be_overtaken_is_held_back)
{
	begin(&whole);
	add(true, &whole, __rdtsc(), 7, 2); /* made in this round, perhaps before others that were read already */
	next_round();
	cr_expect(is_told(""));
	add(false, &whole, t.start, 7, 1); /* it was read only now */
	tell(false);
	cr_expect(is_told("p1\n"), "what is older than the last round");
	cli_merge_round(&t.merge);
	tell(false);
	cr_expect(is_told("p1\nk2\n"));
	end();
	cr_expect(told == 2 && late == 0);
}

Test(merge, what_comes_later_than_that_is_counted)
{
	begin(&whole);
	add(false, &whole, t.start, 7, 2);
	next_round();
	next_round();
	cr_expect(is_told("p2\n"));
	add(false, &whole, t.start - 1, 7, 1);
	next_round();
	cr_expect(is_told("p2\np1\n"));
	end();
	cr_expect(told == 2 && late == 1);
}

Test(merge, other_threads_are_left_out)
{
	begin(&whole);
	add(true, &whole, t.start - 9, 7, 1);
	add(false, &whole, t.start - 8, 7, 2);
	add(true, &whole, t.start - 7, 7, 3);
	add(true, &whole, t.start - 6, 8, 4);
	add(true, &timeless, 0, 0, 5);
	tell(true);
	cr_expect(
		is_told("p2\nk3\nk5\n"), "a thread is known from its first record on, and one that isn't said is told");
	end();
	cr_expect(told == 3 && others == 2);
}

Test(merge, all_are_told_if_the_process_names_no_threads)
{
	begin(&nameless);
	add(true, &whole, t.start - 9, 7, 1);
	add(false, &nameless, t.start - 8, 0, 0);
	add(true, &whole, t.start - 7, 8, 2);
	tell(true);
	cr_expect(told == 0 && strchr(t.text, 'k') && strstr(t.text, "k2"));
	end();
	cr_expect(told == 3 && others == 0);
}

/* A process may keep any numbers. */
Test(merge, numbers_that_are_no_threads)
{
	static const uint64_t none[] = {(1 << 22) - 1, 1 << 22, UINT32_MAX, (uint64_t)-1, (uint64_t)-2, 1ull << 63};
	begin(&whole);
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		add(false, &whole, t.start, none[i], i);
	tell(true);
	cr_expect(is_told("p0\np1\np2\np3\np4\np5\n"));
	end();
}

Test(merge, the_future_is_now)
{
	begin(&whole);
	for (uint64_t i = 0; i < 1000; i++)
		add(false, &whole, UINT64_MAX - 1000 + i, 7, 1);
	next_round();
	next_round();
	tell(false);
	cr_expect(t.merge.n == 0, "nothing is held for ever");
	end();
	cr_expect(told == 1000 && late == 0);
}

Test(merge, containers)
{
	struct stat st;
	bool first = stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == 0xeffffffc;
	cr_expect(cli_merge_check(getpid()) == (first ? CLI_OK : CLI_TARGET));
	cr_expect(cli_merge_check(0) == (first ? CLI_OK : CLI_TARGET));
	cr_expect(cli_merge_check(1 << 22) == CLI_TARGET, "there is no such process");
}
