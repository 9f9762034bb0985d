/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace --with-kernel: merge the records of a process's rings and of the kernel's into one sequence, in order of
 * time. So what a thread asks of a library is next to what the kernel then does for that thread.
 *
 * Both read the same time stamp counter, so nothing is converted, and no error of a clock can change the order. A
 * record's time is its member `time`. A record without one, or from the future, has the time at which it was read.
 * Rings are read in rounds. A record is held back until a whole round has begun and ended since it was made: then
 * nothing that was made before it is still unread. The exception is a probe whose thread didn't run for longer than
 * that between its event and its record: that record comes late, and is counted.
 *
 * The kernel's probe runs in all threads of the machine. Our own is among them; it makes system calls to print records.
 * So a record of the kernel's with a member `tid` is printed only if an earlier record of the process had that thread;
 * the others are counted. If the process's records don't say which thread they are of, all are printed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <x86intrin.h>

#include "cli.h"

enum { FIRST = 256, MOST_THREADS = 1 << 22 }; /* the kernel numbers no more (PID_MAX_LIMIT) */

static const uint64_t NO_THREAD = UINT64_MAX;

/* The number that the kernel's first namespace of processes always has (PROC_PID_INIT_INO). */
static const ino_t FIRST_NAMESPACE = 0xeffffffc;

int cli_merge_check(pid_t pid)
{
	char path[64], what[64];
	struct stat st;
	snprintf(path, sizeof(path), pid ? "/proc/%d/ns/pid" : "/proc/self/ns/pid_for_children", (int)pid);
	snprintf(what, sizeof(what), pid ? "process %d" : "the command", (int)pid);
	if (stat(path, &st) != 0)
		return cli_error(CLI_TARGET, what, "run as root", "can't find out how its threads are numbered: %s",
			strerror(errno));
	if (st.st_ino == FIRST_NAMESPACE)
		return CLI_OK;
	return cli_error(CLI_TARGET, what, "trace the process and the kernel separately: the kernel with --kernel",
		"it is in a container (a pid namespace), where its threads have other numbers than in the kernel");
}

static bool says_thread(const struct ward_field *f)
{
	for (uint32_t i = 0; (f->kind == WARD_FIELD_RING || f->kind == WARD_FIELD_QUEUE) && i < f->n_values; i++)
		if (strcmp(f->parts[i].name, "tid") == 0)
			return true;
	return false;
}

bool cli_merge_open(struct cli_merge *merge, const ward_snapshot *process)
{
	bool joins = false;
	for (size_t i = 0; i < ward_snapshot_fields(process); i++)
		joins |= says_thread(ward_snapshot_field(process, i));
	merge->threads = joins ? calloc(MOST_THREADS / 8, 1) : NULL;
	return !joins || merge->threads;
}

void cli_merge_free(struct cli_merge *merge)
{
	while (merge->n)
		free(merge->held[--merge->n].line);
	free(merge->held);
	free(merge->threads);
}

void cli_merge_round(struct cli_merge *merge)
{
	merge->limit = merge->begun;
	merge->begun = __rdtsc();
}

const struct ward_field *cli_record_member(const struct ward_field *f, const struct ward_record *r, const char *name)
{
	for (uint32_t i = 0; i < f->n_values; i++) {
		const struct ward_field *m = &r->members[i];
		if (strcmp(m->name, name) == 0 && (m->kind == WARD_FIELD_VALUE || m->kind == WARD_FIELD_COUNT))
			return m;
	}
	return NULL;
}

struct cli_origin cli_record_origin(const struct ward_field *f, const struct ward_record *r)
{
	const struct ward_field *time = cli_record_member(f, r, "time");
	return (struct cli_origin){r->thread, time ? time->value : 0};
}

char *cli_record_text(const struct cli_output *out, const struct ward_field *f, const struct ward_record *r)
{
	char *line = NULL, value[400];
	size_t size;
	FILE *file = open_memstream(&line, &size);
	if (!file)
		return NULL;
	fprintf(file, out->from ? "%-7s  %s" : "%s%s", out->from ? out->from : "", f->name);
	for (uint32_t i = 0; i < f->n_values; i++) {
		if (!cli_field_is_line(&r->members[i]))
			continue;
		cli_field_text(out, value, sizeof(value), &r->members[i], cli_record_origin(f, r));
		fprintf(file, "  %s %s", r->members[i].name, value);
	}
	if (fclose(file) == 0)
		return line;
	free(line);
	return NULL;
}

static bool make_room(struct cli_merge *merge)
{
	size_t room = merge->room ? merge->room * 2 : FIRST;
	if (merge->n < merge->room)
		return true;
	struct cli_held *held = reallocarray(merge->held, room, sizeof(*held));
	if (!held)
		return false;
	merge->held = held;
	merge->room = room;
	return true;
}

void cli_merge_add(struct cli_merge *merge, struct cli_output *out, bool kernel, const struct ward_field *f,
	const struct ward_record *r)
{
	const struct ward_field *time = cli_record_member(f, r, "time"), *thread = cli_record_member(f, r, "tid");
	uint64_t now = __rdtsc();
	char *line = out->json ? cli_json_record_text(out, f, r) : cli_record_text(out, f, r);
	if (!line || !make_room(merge)) {
		merge->lost++;
		free(line);
		return;
	}
	merge->held[merge->n++] = (struct cli_held){.time = time && time->value < now ? time->value : now,
		.number = merge->came++,
		.thread = thread ? thread->value : NO_THREAD,
		.kernel = kernel,
		.line = line};
}

static int by_time(const void *a, const void *b)
{
	const struct cli_held *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Is it printed? The threads of the process's records are remembered. */
static bool is_wanted(struct cli_merge *merge, const struct cli_held *h)
{
	if (!merge->threads || h->thread == NO_THREAD)
		return true;
	if (h->thread >= MOST_THREADS)
		return !h->kernel; /* it is no thread's number */
	unsigned char *byte = &merge->threads[h->thread / 8], bit = (unsigned char)(1u << h->thread % 8);
	if (h->kernel)
		return *byte & bit;
	*byte |= bit;
	return true;
}

void cli_merge_print(struct cli_merge *merge, struct cli_output *out, bool all)
{
	size_t n = 0;
	if (merge->n)
		qsort(merge->held, merge->n, sizeof(*merge->held), by_time);
	for (; n < merge->n && (all || merge->held[n].time < merge->limit); n++) {
		struct cli_held *h = &merge->held[n];
		if (is_wanted(merge, h)) {
			fprintf(out->file, "%s\n", h->line);
			merge->printed++;
			merge->late += h->time < merge->last;
			merge->last = h->time > merge->last ? h->time : merge->last;
		} else {
			merge->others++;
		}
		free(h->line);
	}
	merge->n -= n;
	memmove(merge->held, merge->held + n, merge->n * sizeof(*merge->held));
	if (n)
		fflush(out->file);
}

void cli_merge_end(const struct cli_merge *merge, struct cli_output *out)
{
	struct cli_output both = *out;
	both.from = NULL;
	if (out->json)
		cli_json_sequence(&both, merge);
	else
		fprintf(out->file,
			"%" PRIu64 " record%s in order of time, %" PRIu64 " late, %" PRIu64 " lost; %" PRIu64
			" of the kernel's left out: of other threads\n",
			merge->printed, merge->printed == 1 ? "" : "s", merge->late, merge->lost, merge->others);
}
