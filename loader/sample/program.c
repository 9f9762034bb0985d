/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a sampled program. It runs meanwhile, and may be gone at any moment.
 *
 * Its samples are read up to a quarter of a second after they were taken. By then its process may have executed another
 * program, whose code must not be taken for this one's. The two are told apart by the auxiliary vector: a child that
 * was forked has its parent's, and each program that is executed has one of its own, with random addresses in it.
 */
#include "program.h"

#include "loader/process/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is the process in another pid namespace than this one? False if that isn't known. */
static bool pid_is_inner(pid_t pid)
{
	struct stat own, its;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat("/proc/self/ns/pid", &own) == 0 && stat(path, &its) == 0 &&
	       (own.st_ino != its.st_ino || own.st_dev != its.st_dev);
}

/* So many bytes; 0: there are none, as in a process that has ended, or they may not be read. */
static size_t auxv_read(pid_t pid, uint8_t auxv[WL_AUXV_MOST])
{
	char path[40], *bytes;
	size_t size = 0;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)wl_shown_at(pid));
	bytes = wl_read_proc(path, &size);
	size = !bytes ? 0 : size < WL_AUXV_MOST ? size : WL_AUXV_MOST;
	if (size)
		memcpy(auxv, bytes, size);
	free(bytes);
	return size;
}

/* Is it what its process runs now? */
static bool is_running(const struct wl_program *program)
{
	uint8_t now[WL_AUXV_MOST];

	return program->auxv_size && auxv_read(program->pid, now) == program->auxv_size &&
	       memcmp(now, program->auxv, program->auxv_size) == 0;
}

/* The path of its file, to be freed; NULL if it is gone. */
static char *path_of(const struct wl_program *program)
{
	char link[40], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)wl_shown_at(program->pid));
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0 || !is_running(program))
		return NULL;
	path[n] = 0;
	return strdup(path);
}

struct wl_program *wl_program_new(pid_t pid, uint32_t state, const struct wl_program *parent, ward_names *names)
{
	struct wl_program *program = calloc(1, sizeof(*program));
	struct ward_error ignored;

	if (!program)
		return NULL;
	program->pid = pid;
	program->parent = parent ? parent->pid : 0;
	program->state = state;
	if (wl_process_open(&program->p, pid, &ignored))
		program->p = (struct wl_process){.pid = pid, .pidfd = -1, .mem = -1};
	program->code_changed = true;
	if (parent) {
		wl_code_map_copy(&program->code, &parent->code);
		memcpy(program->auxv, parent->auxv, parent->auxv_size);
		program->auxv_size = parent->auxv_size;
		program->path = parent->path ? strdup(parent->path) : NULL;
	} else {
		program->auxv_size = auxv_read(pid, program->auxv);
		program->path = path_of(program);
	}
	program->is_inner = pid_is_inner(pid);
	wl_program_look(program, names, true);
	if (!program->mapped.n && parent &&
		names) /* it is gone, or another program by now: it had what its parent had */
		wl_names_join(names, &parent->mapped, state);
	return program;
}

void wl_program_name(struct wl_program *program, const char *name, size_t n)
{
	if (!program->path)
		program->path = strndup(name, n);
}

void wl_program_free(struct wl_program *program)
{
	if (!program)
		return;
	wl_process_close(&program->p);
	wl_mapped_free(&program->mapped);
	wl_code_map_free(&program->code);
	free(program->inner);
	free(program->path);
	free(program);
}

void wl_program_look(struct wl_program *program, ward_names *names, bool now)
{
	if (names && !program->ended && is_running(program))
		wl_names_see(names, &program->mapped, &program->p, now, &program->state, 1);
}

void wl_program_look_code(struct wl_program *program, struct wl_code_files *files)
{
	struct wl_maps maps;

	if (!program->code_changed)
		return;
	program->code_changed = false;
	if (wl_maps_read(program->p.pid, &maps))
		return;
	/* Asked before files are read, which takes a while. Else what it had is the best that is known. */
	if (is_running(program))
		wl_code_map_take(&program->code, files, &program->p, &maps);
	wl_maps_free(&maps);
}

/* ---- Threads' numbers ---- */

/* The last number of the line NSpid; 0: it isn't known. */
static uint32_t inner_tid(pid_t pid, uint32_t tid)
{
	char path[64], *text, *line, *last;
	uint32_t inner = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/status", (int)pid, tid);
	text = wl_read_proc(path, NULL);
	line = text ? strstr(text, "\nNSpid:") : NULL;
	if (line) {
		line[1 + strcspn(line + 1, "\n")] = 0;
		last = strrchr(line, '\t');
		inner = last ? (uint32_t)strtoul(last + 1, NULL, 10) : 0;
	}
	free(text);
	return inner;
}

uint32_t wl_program_tid(struct wl_program *program, uint32_t tid)
{
	struct wl_inner_tid *v;
	uint32_t inner;

	if (!program->is_inner)
		return tid;
	for (size_t i = 0; i < program->n_inner; i++)
		if (program->inner[i].outer == tid)
			return program->inner[i].inner;
	inner = inner_tid(program->pid, tid);
	v = inner ? reallocarray(program->inner, program->n_inner + 1, sizeof(*v)) : NULL;
	if (v) {
		program->inner = v;
		v[program->n_inner++] = (struct wl_inner_tid){tid, inner};
	}
	return inner;
}

void wl_program_tid_ended(struct wl_program *program, uint32_t tid)
{
	for (size_t i = program->n_inner; i-- > 0;)
		if (program->inner[i].outer == tid)
			program->inner[i] = program->inner[--program->n_inner];
}

uint64_t wl_program_thread_ns(const struct wl_program *program, uint32_t tid)
{
	char path[64], *text;
	uint64_t ns;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/schedstat", (int)program->pid, tid);
	text = wl_read_proc(path, NULL);
	ns = text ? strtoull(text, NULL, 10) : 0;
	free(text);
	return ns;
}
