/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processed profile of the Firefox Profiler, version 46: one JSON object with a table for each thread, each table
 * by columns. So nothing can be written before all has come, and the columns of events are kept as text in memory: some
 * 60 bytes an event and its values. Events are markers; stacks are samples of one thread more, which the call tree and
 * the flame graph add up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

/* Columns of markers, and of samples. */
enum column { NAME, START, END, PHASE, DATA, STACK, WEIGHT, COLUMNS };
enum { INSTANT = 0, INTERVAL = 1, MOST_THREADS = 1 << 16 };

struct firefox_thread {
	pid_t pid, tid;
	char *name;
	size_t n;
	struct intern texts;
	FILE *column[COLUMNS];
	char *text[COLUMNS];
	size_t size[COLUMNS];
};

struct firefox {
	struct export base;
	struct firefox_thread *thread;
	size_t n_threads;
	struct firefox_thread stacks;
	/* of the stacks: {number of the name of function, module}; {function, line, is_inlined}; {prefix, frame} */
	struct intern functions, frames, stack_rows;
};

/* ---- columns ---- */

static FILE *next_cell(struct firefox *f, struct firefox_thread *t, enum column c)
{
	if (!t->column[c])
		t->column[c] = open_memstream(&t->text[c], &t->size[c]);
	if (!t->column[c]) {
		f->base.failed = true;
		return NULL;
	}
	if (t->n)
		fputc(',', t->column[c]);
	return t->column[c];
}

static int64_t text_number(struct firefox *f, struct firefox_thread *t, const char *text)
{
	bool is_new;
	int64_t number = intern_text(&t->texts, text, &is_new);
	f->base.failed |= number == INTERN_FAILED;
	return number;
}

/* Milliseconds since the beginning. */
static void put_time(FILE *file, const struct firefox *f, int64_t ns)
{
	export_json_scaled(file, ns - f->base.about.begin, 6);
}

static struct firefox_thread *find_thread(struct firefox *f, pid_t pid, pid_t tid)
{
	for (size_t i = f->n_threads; i-- > 0;)
		if (f->thread[i].pid == pid && f->thread[i].tid == tid)
			return &f->thread[i];
	struct firefox_thread *more =
		f->n_threads < MOST_THREADS ? reallocarray(f->thread, f->n_threads + 1, sizeof(*more)) : NULL;
	if (!more) {
		f->base.failed = true;
		return NULL;
	}
	f->thread = more;
	f->thread[f->n_threads] = (struct firefox_thread){.pid = pid, .tid = tid};
	return &f->thread[f->n_threads++];
}

static void put_data(FILE *file, const struct export_event *event)
{
	fputs("{\"type\":\"ward\"", file);
	for (size_t i = 0; i < event->n; i++) {
		const struct export_value *v = &event->values[i];
		if (strcmp(v->name, "type") == 0)
			continue; /* the viewer's own */
		fputc(',', file);
		export_json_string(file, v->name);
		fputc(':', file);
		export_json_value(file, v);
	}
	fputs("}", file);
}

static void firefox_event(export *e, const struct export_event *event)
{
	struct firefox *f = (struct firefox *)e;
	struct firefox_thread *t = find_thread(f, event->pid, event->tid);
	FILE *cell[DATA + 1];
	int64_t name = t ? text_number(f, t, event->name) : 0;
	for (enum column c = NAME; t && !f->base.failed && c <= DATA; c++)
		cell[c] = next_cell(f, t, c);
	if (f->base.failed)
		return;
	fprintf(cell[NAME], "%" PRId64, name);
	put_time(cell[START], f, event->begin);
	if (event->is_span)
		put_time(cell[END], f, event->end);
	else
		fputs("null", cell[END]);
	fprintf(cell[PHASE], "%d", event->is_span ? INTERVAL : INSTANT);
	put_data(cell[DATA], event);
	t->n++;
}

static void firefox_name(export *e, pid_t pid, pid_t tid, const char *name)
{
	struct firefox *f = (struct firefox *)e;
	struct firefox_thread *t = find_thread(f, pid, tid);
	if (!t)
		return;
	free(t->name);
	t->name = strdup(name);
}

/* ---- stacks ---- */

static int64_t row_number(struct firefox *f, struct intern *table, const int64_t *key, size_t n)
{
	bool is_new;
	int64_t number = intern_bytes(table, key, n * sizeof(*key), &is_new);
	f->base.failed |= number == INTERN_FAILED;
	return number;
}

static void firefox_stack(export *e, const struct export_stack *stack)
{
	struct firefox *f = (struct firefox *)e;
	int64_t at = -1; /* no caller */
	for (size_t i = stack->n; !f->base.failed && i-- > 0;) {
		const struct export_frame *frame = &stack->frames[i];
		const int64_t function[] = {text_number(f, &f->stacks, frame->function),
			frame->file ? text_number(f, &f->stacks, frame->file) : -1};
		const int64_t row[] = {row_number(f, &f->functions, function, 2),
			frame->line ? (int64_t)frame->line : -1, frame->is_inlined};
		const int64_t pair[] = {at, row_number(f, &f->frames, row, 3)};
		at = row_number(f, &f->stack_rows, pair, 2);
	}
	FILE *cell = f->base.failed ? NULL : next_cell(f, &f->stacks, STACK),
	     *weight = cell ? next_cell(f, &f->stacks, WEIGHT) : NULL;
	if (!weight)
		return;
	fprintf(cell, at < 0 ? "null" : "%" PRId64, at);
	fprintf(weight, "%" PRId64, stack->values[0]);
	f->stacks.n++;
}

/* ---- the file ---- */

static const char *column_text(struct firefox_thread *t, enum column c)
{
	if (!t->column[c] || fflush(t->column[c]) != 0)
		return "";
	return t->text[c];
}

/* The same value n times. */
static void put_same(FILE *file, const char *name, const char *value, size_t n)
{
	fprintf(file, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s%s", i ? "," : "", value);
	fputc(']', file);
}

/* Number `part` of each row of a table; a negative one is null. */
static void put_part(FILE *file, const char *name, const struct intern *table, size_t part)
{
	fprintf(file, ",\"%s\":[", name);
	for (size_t i = 0; i < table->n; i++) {
		int64_t value = ((const int64_t *)table->row[i].bytes)[part];
		fprintf(file, value < 0 ? "%snull" : "%s%" PRId64, i ? "," : "", value);
	}
	fputc(']', file);
}

static void put_markers(FILE *file, struct firefox_thread *t)
{
	fprintf(file,
		",\"markers\":{\"length\":%zu,\"name\":[%s],\"startTime\":[%s],\"endTime\":[%s],\"phase\":[%s],"
		"\"data\":[%s]",
		t->n, column_text(t, NAME), column_text(t, START), column_text(t, END), column_text(t, PHASE),
		column_text(t, DATA));
	put_same(file, "category", "0", t->n);
	fputc('}', file);
}

/* What a thread has no rows of is an empty table with all its columns. */
static void put_stack_tables(FILE *file, const struct firefox *f, bool has_stacks)
{
	const struct intern none = {0};
	const struct intern *functions = has_stacks ? &f->functions : &none, *frames = has_stacks ? &f->frames : &none,
			    *rows = has_stacks ? &f->stack_rows : &none;
	fprintf(file, ",\"funcTable\":{\"length\":%zu", functions->n);
	put_part(file, "name", functions, 0);
	put_part(file, "fileName", functions, 1);
	put_same(file, "isJS", "false", functions->n);
	put_same(file, "relevantForJS", "false", functions->n);
	put_same(file, "resource", "-1", functions->n);
	put_same(file, "lineNumber", "null", functions->n);
	put_same(file, "columnNumber", "null", functions->n);
	fprintf(file, "},\"frameTable\":{\"length\":%zu", frames->n);
	put_part(file, "func", frames, 0);
	put_part(file, "line", frames, 1);
	put_part(file, "inlineDepth", frames, 2);
	put_same(file, "address", "-1", frames->n);
	put_same(file, "category", "0", frames->n);
	put_same(file, "subcategory", "0", frames->n);
	put_same(file, "nativeSymbol", "null", frames->n);
	put_same(file, "innerWindowID", "0", frames->n);
	put_same(file, "implementation", "null", frames->n);
	put_same(file, "column", "null", frames->n);
	put_same(file, "optimizations", "null", frames->n);
	fprintf(file, "},\"stackTable\":{\"length\":%zu", rows->n);
	put_part(file, "prefix", rows, 0);
	put_part(file, "frame", rows, 1);
	put_same(file, "category", "0", rows->n);
	put_same(file, "subcategory", "0", rows->n);
	fputs("},\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},"
	      "\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}",
		file);
}

static void put_samples(FILE *file, struct firefox_thread *t, bool has_stacks)
{
	size_t n = has_stacks ? t->n : 0;
	fprintf(file, ",\"samples\":{\"length\":%zu,\"weightType\":\"samples\",\"stack\":[%s],\"weight\":[%s]", n,
		column_text(t, STACK), column_text(t, WEIGHT));
	put_same(file, "time", "0", n);
	fputc('}', file);
}

static void put_thread(struct firefox *f, struct firefox_thread *t, bool has_stacks)
{
	FILE *file = f->base.file;
	char number[32];
	snprintf(number, sizeof(number), "thread %d", (int)t->tid);
	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":",
		file);
	export_json_string(file, has_stacks ? "stacks" : t->name ? t->name : number);
	fprintf(file, ",\"isMainThread\":%s,\"pid\":\"%d\",\"tid\":%d,\"processName\":",
		t->pid == t->tid && !has_stacks ? "true" : "false", (int)t->pid, (int)t->tid);
	export_json_string(file, f->base.about.process && t->pid == f->base.about.pid ? f->base.about.process : "");
	put_samples(file, t, has_stacks);
	if (has_stacks)
		t->n = 0; /* it has no markers */
	put_markers(file, t);
	put_stack_tables(file, f, has_stacks);
	fputs(",\"stringArray\":[", file);
	for (size_t i = 0; i < t->texts.n; i++) {
		fputs(i ? "," : "", file);
		export_json_string(file, intern_text_at(&t->texts, i));
	}
	fputs("]}", file);
}

static void put_meta(const struct firefox *f)
{
	FILE *file = f->base.file;
	fputs("{\"meta\":{\"version\":29,\"preprocessedProfileVersion\":46,\"interval\":1,\"startTime\":", file);
	export_json_scaled(file, f->base.about.begin, 6);
	fputs(",\"product\":", file);
	export_json_string(file, f->base.about.title);
	fputs(",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,\"importedFrom\":\"Ward\",\n"
	      "\"usesOnlyOneStackType\":true,\"doesNotUseFrameImplementation\":true,\"sourceCodeIsNotOnSearchfox\":"
	      "true,\n"
	      "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},\n"
	      "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],\n"
	      "\"markerSchema\":[{\"name\":\"ward\",\"display\":[\"marker-chart\",\"marker-table\"],\"data\":[]}]},\n"
	      "\"libs\":[],\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"threads\":[",
		file);
}

static void firefox_end(export *e)
{
	struct firefox *f = (struct firefox *)e;
	put_meta(f);
	for (size_t i = 0; i < f->n_threads; i++) {
		put_thread(f, &f->thread[i], false);
		fputs(i + 1 < f->n_threads || f->stacks.n ? ",\n" : "", e->file);
	}
	if (f->stacks.n)
		put_thread(f, &f->stacks, true);
	fputs("]}\n", e->file);
}

static void firefox_begin(export *e)
{
	struct firefox *f = (struct firefox *)e;
	f->stacks.pid = f->stacks.tid = e->about.pid;
}

static void thread_release(struct firefox_thread *t)
{
	for (enum column c = NAME; c < COLUMNS; c++) {
		if (t->column[c])
			fclose(t->column[c]);
		free(t->text[c]);
	}
	intern_free(&t->texts);
	free(t->name);
}

static void firefox_release(export *e)
{
	struct firefox *f = (struct firefox *)e;
	for (size_t i = 0; i < f->n_threads; i++)
		thread_release(&f->thread[i]);
	free(f->thread);
	thread_release(&f->stacks);
	intern_free(&f->functions);
	intern_free(&f->frames);
	intern_free(&f->stack_rows);
}

const struct export_format export_firefox = {.name = "firefox",
	.viewers = "profiler.firefox.com",
	.size = sizeof(struct firefox),
	.begin = firefox_begin,
	.event = firefox_event,
	.stack = firefox_stack,
	.thread = firefox_name,
	.end = firefox_end,
	.release = firefox_release};
