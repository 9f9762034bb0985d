/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls by name. The kernel's events syscalls:sys_enter_NAME and syscalls:sys_exit_NAME have no tracepoints of
 * their own. The kernel's tracers derive them from those of raw_syscalls, which slow down every system call of the
 * machine. Ward puts the probe on the call's function, __x64_sys_NAME, so that other calls cost no more than before.
 * That function gets the task's registers, where ward.ko finds the arguments. System calls of 32 bits have functions
 * of their own or, if they take no arguments, share these; ward.ko distinguishes them. tracefs has the names and
 * types of the arguments.
 */
#include "symbols.h"

#include "loader/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_", function[] = "__x64_sys_";

/* What is behind the prefix, of which there must be something. NULL if it hasn't it. */
static const char *after_prefix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 && name[n] ? name + n : NULL;
}

enum wl_kcall wl_kcall_of(const char *event)
{
	return after_prefix(event, enter) ? WL_KCALL_ENTER : after_prefix(event, leave) ? WL_KCALL_EXIT : WL_KCALL_NONE;
}

/* "read"; NULL if it is no system call's event. */
static const char *call_name(const char *event)
{
	const char *name = after_prefix(event, enter);

	return name ? name : after_prefix(event, leave);
}

/* ---- Functions ---- */

static const struct wl_ksym *function_of(const struct wl_ksyms *functions, const char *call)
{
	for (size_t i = 0; i < functions->n; i++) {
		const char *name = after_prefix(functions->v[i].name, function);

		if (name && strcmp(name, call) == 0 && !*functions->v[i].module)
			return &functions->v[i];
	}
	return NULL;
}

void wl_kcalls_find(struct wl_ksyms *events, const struct wl_ksyms *functions)
{
	for (size_t i = 0; i < events->n; i++) {
		struct wl_ksym *event = &events->v[i];
		const struct wl_ksym *f;

		if (!event->call)
			continue;
		f = functions ? function_of(functions, call_name(event->name)) : NULL;
		event->addr = f ? f->addr : 0;
		event->held = f && f->held;
		event->ours = f && f->ours;
		if (!functions)
			event->reason = "the kernel doesn't show the addresses of its functions";
		else
			event->reason = f ? f->reason : "the kernel shows no function of this system call";
	}
}

static bool has_calls(const struct wl_ksyms *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->v[i].call)
			return true;
	return false;
}

int wl_kcalls_read(struct wl_ksyms *events, struct ward_error *err)
{
	struct wl_ksyms functions = {0};
	struct ward_error untold = {0};
	int rc;

	if (!has_calls(events))
		return 0;
	rc = wl_ksyms_read("__x64_sys_*", true, &functions, &untold);
	if (rc && rc != WARD_E_TARGET) {
		*err = untold;
		return rc;
	}
	events->checked &= rc || functions.checked;
	wl_kcalls_find(events, rc ? NULL : &functions);
	wl_ksyms_free(&functions);
	return 0;
}

/* ---- Arguments ---- */

enum { MAX_TEXT = 1024 };

/* "char * buf" as "char *buf". False if it doesn't fit. */
static bool declaration_put(char *text, size_t *n, const char *declaration)
{
	if (*n && *n + 2 < MAX_TEXT) {
		text[(*n)++] = ',';
		text[(*n)++] = ' ';
	}
	for (const char *c = declaration; *c; c++) {
		if (*c == ' ' && c > declaration && c[-1] == '*')
			continue;
		if (*n + 1 >= MAX_TEXT || *c < ' ' || *c > '~')
			return false;
		text[(*n)++] = *c;
	}
	text[*n] = 0;
	return true;
}

/*
 * Lines as "\tfield:char * buf;\toffset:24;\tsize:8;\tsigned:0;", of which the first ones are the same for all events.
 * A "__data_loc", as newer kernels have, is no argument: the tracepoint has copied there what one points to.
 */
char *wl_kcall_format(char *format)
{
	char text[MAX_TEXT] = "void", *line;
	bool number = false;
	size_t n = 0;

	while ((line = wl_next_line(&format))) {
		const char *declaration = after_prefix(line, "\tfield:"), *name;

		if (!declaration)
			continue;
		line[strcspn(line, ";")] = 0;
		name = strrchr(declaration, ' ');
		if (!name)
			return NULL;
		if (strcmp(name, " __syscall_nr") == 0)
			number = true;
		else if (strncmp(name, " common_", 8) != 0 && !after_prefix(declaration, "__data_loc ") &&
			 !declaration_put(text, &n, declaration))
			return NULL;
	}
	return number ? strdup(text) : NULL;
}

char *wl_kcall_arguments(const char *event)
{
	char path[WL_KEVENT_NAME + 40], *format, *arguments;

	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", call_name(event));
	format = wl_read_tracing(path);
	arguments = format ? wl_kcall_format(format) : NULL;
	free(format);
	return arguments;
}
