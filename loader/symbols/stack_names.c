/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a stack: its functions with ; between them, as tools for flame graphs have it. It is written from the
 * back, because what is innermost says most, and may not be left out.
 */
#include "stack_names.h"

#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct wl_stack_names *s, uint32_t number)
{
	const struct wl_stacks **v = reallocarray(s->v, (size_t)number + 1, sizeof(*v));
	size_t *seen = v ? reallocarray(s->seen, (size_t)number + 1, sizeof(*seen)) : NULL;

	s->v = v ? v : s->v;
	if (!seen)
		return false;
	memset(v + s->n, 0, (number + 1 - s->n) * sizeof(*v));
	s->seen = seen;
	s->n = (size_t)number + 1;
	return true;
}

bool wl_stack_names_put(struct wl_stack_names *s, uint32_t number, int fd, uint64_t offset)
{
	const struct wl_stacks *table;

	if (number >= WL_STACKS_TABLES - 1)
		return false;
	table = wl_stacks_map(fd, offset);
	if (!table)
		return false;
	if (number >= s->n && !make_room(s, number)) {
		wl_stacks_unmap(table);
		return false;
	}
	wl_stacks_unmap(s->v[number]);
	s->v[number] = table;
	s->seen[number] = 1; /* the first word is unused */
	return true;
}

bool wl_stack_names_any_fresh(const struct wl_stack_names *s)
{
	uint64_t word;

	for (size_t i = 0; i < s->n; i++)
		if (wl_stacks_words(s->v[i], s->seen[i], &word, 1))
			return true;
	return false;
}

size_t wl_stack_names_fresh(struct wl_stack_names *s, uint64_t *codes, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n && n < most; i++) {
		size_t got = wl_stacks_words(s->v[i], s->seen[i], codes + n, most - n);

		s->seen[i] += got;
		n += got;
	}
	for (size_t i = 0; i < n; i++)
		codes[i] = wl_frame_code(codes[i]);
	return n;
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
	free(s->seen);
	*s = (struct wl_stack_names){0};
}

/* Names of a stack's frames, from the innermost on; `inlined` of frame `i` have been given. */
struct frames {
	const struct wl_stack *stack;
	ward_names *names;
	uint32_t thread;
	uint64_t time;
	size_t i, inlined;
};

/* The name of code, without the build-id that addresses of files without symbols have: there are many of them. */
static void name_code(const struct frames *f, uint64_t code, char *name, size_t size)
{
	char *id;

	if (!ward_names_find_at(f->names, code, f->thread, f->time, name, size))
		snprintf(name, size, "%#" PRIx64, code);
	id = strstr(name, " (build-id ");
	if (id)
		*id = 0;
}

/* The next one: a function that is inlined in what comes then, or the frame's own. False: there is none. */
static bool next_name(struct frames *f, char *name, size_t size)
{
	uint64_t code;

	if (f->i >= f->stack->n)
		return false;
	code = wl_stack_code(f->stack, f->i);
	if (wl_names_inlined(f->names, code, f->thread, f->time, f->inlined, name, size)) {
		f->inlined++;
		return true;
	}
	name_code(f, code, name, size);
	f->i++;
	f->inlined = 0;
	return true;
}

/* A number for the names from there on. Their addresses are others in another process, or after another start. */
static uint64_t names_hash(struct frames f)
{
	uint64_t hash = (14695981039346656037u ^ f.stack->how) * 1099511628211u;
	char name[1024];

	while (next_name(&f, name, sizeof(name))) {
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
	struct frames f = {stack, names, thread, time, 0, 0}, before = f;
	char name[1024], cut[CUT];
	const char *begins = beginnings[stack->how & 3];
	size_t at = size - 1;

	text[at] = 0;
	for (; next_name(&f, name, sizeof(name)); before = f) {
		size_t length = strlen(name), all = length + (at < size - 1);

		if (all + CUT - 1 > at) {
			snprintf(cut, sizeof(cut), "[%016" PRIx64 "...];", names_hash(before));
			begins = cut;
			break;
		}
		at -= all;
		memcpy(text + at, name, length);
		if (all > length)
			text[at + length] = ';';
	}
	if (strlen(begins) > at) /* there is no room for anything */
		begins = "";
	at -= strlen(begins);
	memcpy(text + at, begins, strlen(begins));
	memmove(text, text + at, size - at);
}
