/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that there are, and what each export does first and last. */
#include <stdlib.h>
#include <string.h>

#include "format.h"

static const struct export_format *const formats[] = {
	&export_perfetto, &export_chrome, &export_firefox, &export_pprof, &export_folded, &export_flame};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

const struct export_format *export_at(size_t i)
{
	return i < FORMATS ? formats[i] : NULL;
}

const struct export_format *export_find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

const char *export_name(const struct export_format *format)
{
	return format->name;
}

const char *export_viewers(const struct export_format *format)
{
	return format->viewers;
}

bool export_takes_events(const struct export_format *format)
{
	return format->event;
}

bool export_takes_stacks(const struct export_format *format)
{
	return format->stack;
}

export *export_open(const struct export_format *format, FILE *file, const struct export_about *about)
{
	export *e = calloc(1, format->size);
	if (!e)
		return NULL;
	e->format = format;
	e->file = file;
	e->about = *about;
	format->begin(e);
	return e;
}

void export_event_add(export *e, const struct export_event *event)
{
	if (!e->failed && e->format->event)
		e->format->event(e, event);
}

void export_stack_add(export *e, const struct export_stack *stack)
{
	if (!e->failed && e->format->stack)
		e->format->stack(e, stack);
}

void export_thread_name(export *e, pid_t pid, pid_t tid, const char *name)
{
	if (!e->failed && e->format->thread)
		e->format->thread(e, pid, tid, name);
}

bool export_close(export *e)
{
	if (!e->failed)
		e->format->end(e);
	if (e->format->release)
		e->format->release(e);
	bool is_whole = !e->failed && fflush(e->file) == 0 && !ferror(e->file);
	free(e);
	return is_whole;
}
