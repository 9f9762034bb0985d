/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --export: a record becomes an event. Its member `time` says when, and if there is a member that is a time span
 * (ward_elapsed, ward_ns), the event began so long before. It is called like the record's site, or else the ring. Its
 * thread is the member `tid`, whose name and process are looked up once; a record without that member belongs to the
 * state of one thread, which has a number.
 */
#include <stdlib.h>
#include <string.h>

#include "export.h"

enum { MOST_THREADS = 1 << 22, MOST_MEMBERS = 200, TEXTS = 1 << 14, TEXT = 400 };

/* "Tgid:\t12" of /proc/TID/status; and what stands behind "Name:". Returns 0 if the thread is gone. */
static pid_t read_status(pid_t tid, char name[64])
{
	char path[40], line[200];
	pid_t pid = 0;
	name[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file) && pid == 0) {
		line[strcspn(line, "\n")] = 0;
		if (strncmp(line, "Name:\t", 6) == 0)
			cli_clean_text(name, 64, line + 6);
		else if (strncmp(line, "Tgid:\t", 6) == 0)
			pid = atoi(line + 6);
	}
	if (file)
		fclose(file);
	return pid;
}

/* The process of a thread; the first time its name is passed on. The main thread of a process that is gone has its. */
static pid_t find_process(struct export_files *x, pid_t tid)
{
	char name[64];
	if (tid <= 0 || tid >= MOST_THREADS)
		return x->pid;
	if (!x->process_of && !(x->process_of = calloc(MOST_THREADS, sizeof(*x->process_of))))
		return x->pid;
	if (x->process_of[tid])
		return x->process_of[tid];
	pid_t pid = read_status(tid, name);
	const char *shown = pid ? name : tid == x->pid ? x->process : "";
	x->process_of[tid] = pid ? pid : x->pid;
	for (size_t i = 0; shown[0] && i < x->n; i++)
		export_thread_name(x->at[i].export, x->process_of[tid], tid, shown);
	return x->process_of[tid];
}

/* The texts of one record. What has no room is cut, and its end shows that. */
struct texts {
	char text[TEXTS];
	size_t used;
};

static char *text_room(struct texts *t, size_t *size)
{
	size_t left = sizeof(t->text) - t->used;
	*size = left < TEXT ? left : TEXT;
	return t->text + t->used;
}

static const char *text_keep(struct texts *t, char *text)
{
	t->used += strlen(text) + 1;
	return text;
}

static bool is_span(const struct ward_field *m)
{
	return m->unit == WARD_UNIT_NS && (m->kind == WARD_FIELD_VALUE || m->kind == WARD_FIELD_COUNT);
}

static bool is_plain_number(const struct ward_field *m)
{
	return (m->kind == WARD_FIELD_VALUE || m->kind == WARD_FIELD_COUNT) && !m->is_address && !m->is_site &&
	       !m->enumeration && m->unit != WARD_UNIT_TIME;
}

static struct export_value make_value(
	const struct cli_output *out, struct texts *texts, const struct ward_field *m, struct cli_origin from)
{
	struct export_value v = {.name = m->name, .number = m->value};
	size_t size;
	if (is_plain_number(m)) {
		v.type = m->value_is_signed ? EXPORT_SIGNED : EXPORT_UNSIGNED;
		return v;
	}
	if (m->kind == WARD_FIELD_REAL) {
		v.type = EXPORT_REAL;
		v.real = m->real;
		return v;
	}
	char *text = text_room(texts, &size);
	v.type = EXPORT_TEXT;
	v.text = "";
	if (size < 2)
		return v;
	cli_field_text(out, text, size, m, from);
	v.text = text_keep(texts, text);
	return v;
}

/* What an event is called, and when it was; false: at no time that can be one. */
static bool make_event(const struct cli_output *out, const struct ward_field *f, const struct ward_record *r,
	struct texts *texts, struct export_event *e)
{
	const struct ward_field *time = cli_record_member(f, r, "time"), *span = NULL, *site = NULL;
	size_t size;
	if (!time || !cli_clock_moment(out->clock, time->value, &e->end))
		return false;
	for (uint32_t i = 0; i < f->n_values; i++) {
		const struct ward_field *m = &r->members[i];
		span = span ? span : is_span(m) ? m : NULL;
		site = site ? site : m->is_site ? m : NULL;
	}
	e->is_span = span;
	e->begin = span && span->value < INT64_MAX ? e->end - (int64_t)span->value : e->end;
	e->name = e->track = f->name;
	if (!site)
		return true;
	char *text = text_room(texts, &size);
	cli_field_text(out, text, size, site, cli_record_origin(f, r));
	e->name = text_keep(texts, text);
	return true;
}

void export_files_record(
	struct export_files *x, const struct cli_output *out, const struct ward_field *f, const struct ward_record *r)
{
	struct export_value values[MOST_MEMBERS];
	struct texts texts = {.used = 0};
	struct export_event e = {.values = values};
	const struct ward_field *tid = cli_record_member(f, r, "tid");
	if (!make_event(out, f, r, &texts, &e)) {
		x->left_out++;
		return;
	}
	for (uint32_t i = 0; i < f->n_values && e.n < MOST_MEMBERS; i++) {
		const struct ward_field *m = &r->members[i];
		if (cli_field_is_line(m) && m != tid && strcmp(m->name, "time") != 0)
			values[e.n++] = make_value(out, &texts, m, cli_record_origin(f, r));
	}
	e.tid = tid ? (pid_t)tid->value : (pid_t)r->thread;
	e.pid = tid ? find_process(x, e.tid) : x->pid;
	for (size_t i = 0; i < x->n; i++)
		export_event_add(x->at[i].export, &e);
}
