/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a stack: its functions with ; between them, as tools for flame graphs have it. It is written from the
 * back, because what is innermost says most, and may not be left out.
 */
#include "stack_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool wl_stack_names_put(struct wl_stack_names *s, uint32_t number, int fd, uint64_t offset)
{
	const struct wl_stacks *table;

	if (number >= WL_STACKS_TABLES - 1)
		return false;
	table = wl_stacks_map(fd, offset);
	if (!table)
		return false;
	if (number >= s->n) {
		const struct wl_stacks **v = reallocarray(s->v, (size_t)number + 1, sizeof(*v));

		if (!v) {
			wl_stacks_unmap(table);
			return false;
		}
		memset(v + s->n, 0, (number + 1 - s->n) * sizeof(*v));
		s->v = v;
		s->n = (size_t)number + 1;
	}
	wl_stacks_unmap(s->v[number]);
	s->v[number] = table;
	return true;
}

bool wl_stack_names_read(const struct wl_stack_names *s, uint64_t handle, struct wl_stack *out)
{
	uint32_t number = (uint32_t)handle >> WL_STACKS_WORDS_BITS;

	return number < s->n && wl_stack_read(s->v[number], handle, out);
}

uint64_t wl_stack_names_lost(const struct wl_stack_names *s)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < s->n; i++)
		lost += s->v[i] ? __atomic_load_n(&s->v[i]->lost, __ATOMIC_RELAXED) : 0;
	return lost;
}

void wl_stack_names_free(struct wl_stack_names *s)
{
	for (size_t i = 0; i < s->n; i++)
		wl_stacks_unmap(s->v[i]);
	free(s->v);
	*s = (struct wl_stack_names){0};
}

/* The name of code, without the build-id that addresses of files without symbols have: there are many of them. */
static void name_code(ward_names *names, uint64_t code, uint32_t thread, uint64_t time, char *name, size_t size)
{
	char *id;

	if (!ward_names_find_at(names, code, thread, time, name, size))
		snprintf(name, size, "%#" PRIx64, code);
	id = strstr(name, " (build-id ");
	if (id)
		*id = 0;
}

/* A number for the names from frame `i` on. Their addresses are others in another process, or after another start. */
static uint64_t names_hash(const struct wl_stack *stack, size_t i, ward_names *names, uint32_t thread, uint64_t time)
{
	uint64_t hash = (14695981039346656037u ^ stack->how) * 1099511628211u;
	char name[1024];

	for (; i < stack->n; i++) {
		name_code(names, wl_stack_code(stack, i), thread, time, name, sizeof(name));
		for (const char *c = name; c == name || c[-1]; c++) /* the zero parts them */
			hash = (hash ^ (unsigned char)*c) * 1099511628211u;
		hash ^= hash >> 29;
	}
	return hash;
}

void wl_stack_text(
	const struct wl_stack *stack, ward_names *names, uint32_t thread, uint64_t time, char *text, size_t size)
{
	static const char *const beginnings[] = {"", "[more];", "[lost];", ""};
	enum { CUT = sizeof("[0123456789abcdef...];") };
	char name[1024], cut[CUT];
	const char *begins = beginnings[stack->how & 3];
	size_t at = size - 1, i;

	text[at] = 0;
	for (i = 0; i < stack->n; i++) {
		uint64_t code = wl_stack_code(stack, i);
		size_t length;

		name_code(names, code, thread, time, name, sizeof(name));
		length = strlen(name) + (i > 0);
		if (length + CUT - 1 > at)
			break;
		at -= length;
		memcpy(text + at, name, strlen(name));
		if (i)
			text[at + strlen(name)] = ';';
	}
	if (i < stack->n) {
		snprintf(cut, sizeof(cut), "[%016" PRIx64 "...];", names_hash(stack, i, names, thread, time));
		begins = cut;
	}
	if (strlen(begins) > at) /* there is no room for anything */
		begins = "";
	at -= strlen(begins);
	memcpy(text + at, begins, strlen(begins));
	memmove(text, text + at, size - at);
}
