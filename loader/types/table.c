/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of types while it is made: lists of elements that refer to each other, and to texts, by number. So it passes
 * through a pipe as it is. What comes out of a pipe is checked, number by number and text by text, before it is added
 * to another table. Each list has a limit; what finds no room is left out, and what refers to it refers to the unknown
 * type.
 */
#include "table.h"

#include "verifier/sandbox/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t size, most;
} limits[N_LISTS] = {
	[LIST_FUNCTIONS] = {sizeof(struct table_function), TABLE_FUNCTIONS},
	[LIST_PARAMETERS] = {sizeof(struct table_parameter), TABLE_PARAMETERS},
	[LIST_TYPES] = {sizeof(struct table_type), TABLE_TYPES},
	[LIST_MEMBERS] = {sizeof(struct table_member), TABLE_MEMBERS},
	[LIST_ENUMERATORS] = {sizeof(struct table_enumerator), TABLE_ENUMERATORS},
	[LIST_TEXT] = {1, TABLE_TEXT},
};

/* Room for n more. */
static bool list_reserve(struct table *t, enum table_list which, uint32_t n)
{
	struct list *l = &t->lists[which];
	uint32_t room = l->room ? l->room : 256;
	uint8_t *bytes;

	if (n > limits[which].most - l->n)
		return false;
	if (n <= l->room - l->n)
		return true;
	while (room - l->n < n)
		room *= 2;
	bytes = reallocarray(l->bytes, room, limits[which].size);
	if (!bytes)
		return false;
	l->bytes = bytes;
	l->room = room;
	return true;
}

/* The unknown type, and a text that is none, are number 0. */
static bool table_begin(struct table *t)
{
	if (t->lists[LIST_TYPES].n)
		return true;
	if (!list_reserve(t, LIST_TYPES, 1) || !list_reserve(t, LIST_TEXT, 1))
		return false;
	memset(t->lists[LIST_TYPES].bytes, 0, sizeof(struct table_type));
	t->lists[LIST_TEXT].bytes[0] = 0;
	t->lists[LIST_TYPES].n = t->lists[LIST_TEXT].n = 1;
	return true;
}

void *table_add(struct table *t, enum table_list which)
{
	struct list *l = &t->lists[which];

	if (!table_begin(t) || !list_reserve(t, which, 1)) {
		t->is_cut = true;
		return NULL;
	}
	return memset(l->bytes + (size_t)l->n++ * limits[which].size, 0, limits[which].size);
}

uint32_t table_text(struct table *t, const char *text)
{
	struct list *l = &t->lists[LIST_TEXT];
	size_t n = text ? strlen(text) + 1 : 0;
	uint32_t at;

	if (n <= 1 || n > TABLE_TEXT || !table_begin(t))
		return 0;
	if (!list_reserve(t, LIST_TEXT, (uint32_t)n)) {
		t->is_cut = true;
		return 0;
	}
	at = l->n;
	memcpy(l->bytes + at, text, n);
	for (uint8_t *c = l->bytes + at; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	l->n += (uint32_t)n;
	return at;
}

void table_free(struct table *t)
{
	for (int i = 0; i < N_LISTS; i++)
		free(t->lists[i].bytes);
	*t = (struct table){.is_cut = false};
}

/* ---- through a pipe ---- */

struct head {
	uint32_t n[N_LISTS], is_cut;
};

bool table_write(const struct table *t, int fd)
{
	struct head head = {.is_cut = t->is_cut};
	bool ok;

	for (int i = 0; i < N_LISTS; i++)
		head.n[i] = t->lists[i].n;
	ok = sandbox_write(fd, &head, sizeof(head));
	for (int i = 0; i < N_LISTS && ok; i++)
		ok = sandbox_write(fd, t->lists[i].bytes, (size_t)t->lists[i].n * limits[i].size);
	return ok;
}

/* The lists of a table that lies in bytes. False: they aren't there whole. */
static bool find_lists(const uint8_t *bytes, size_t size, struct head *head, const uint8_t *lists[N_LISTS])
{
	if (size < sizeof(*head))
		return false;
	memcpy(head, bytes, sizeof(*head));
	bytes += sizeof(*head);
	size -= sizeof(*head);
	for (int i = 0; i < N_LISTS; i++) {
		size_t all = (size_t)head->n[i] * limits[i].size;

		if (head->n[i] > limits[i].most || all > size)
			return false;
		lists[i] = bytes;
		bytes += all;
		size -= all;
	}
	return head->n[LIST_TYPES] && head->n[LIST_TEXT] && !lists[LIST_TEXT][head->n[LIST_TEXT] - 1] &&
	       !lists[LIST_TEXT][0];
}

/* Where the numbers of a table that is added begin, and how many it has. */
struct shift {
	const struct head *head;
	uint32_t from[N_LISTS];
};

static uint32_t shifted(const struct shift *s, enum table_list which, uint32_t i)
{
	bool is_none = i == 0 || i >= s->head->n[which];

	return is_none ? 0 : s->from[which] + i;
}

/* A part of a list: nothing, if it isn't inside. */
static void shift_part(const struct shift *s, enum table_list which, uint32_t *first, uint32_t *n)
{
	if (*first > s->head->n[which] || *n > s->head->n[which] - *first)
		*n = 0;
	*first = *n ? s->from[which] + *first : 0;
}

static void shift_type(const struct shift *s, struct table_type *t)
{
	if (t->kind > WARD_TYPE_OTHER)
		t->kind = WARD_TYPE_UNKNOWN;
	t->name = shifted(s, LIST_TEXT, t->name);
	t->of = shifted(s, LIST_TYPES, t->of);
	t->is_signed = t->is_signed != 0;
	t->is_char = t->is_char != 0;
	t->is_union = t->is_union != 0;
	t->is_incomplete = t->is_incomplete != 0;
	if (t->kind == WARD_TYPE_STRUCTURE)
		shift_part(s, LIST_MEMBERS, &t->first, &t->n);
	else if (t->kind == WARD_TYPE_ENUMERATION)
		shift_part(s, LIST_ENUMERATORS, &t->first, &t->n);
}

static void shift_parameter(const struct shift *s, struct table_parameter *p)
{
	p->name = shifted(s, LIST_TEXT, p->name);
	p->declaration = shifted(s, LIST_TEXT, p->declaration);
	p->type = shifted(s, LIST_TYPES, p->type);
	p->why = shifted(s, LIST_TEXT, p->why);
	p->member = shifted(s, LIST_TEXT, p->member);
	p->place = p->place < 0 || p->place >= TABLE_ARGUMENTS ? -1 : p->place;
}

static void shift_function(const struct shift *s, struct table_function *f)
{
	f->why = shifted(s, LIST_TEXT, f->why);
	f->returns_text = shifted(s, LIST_TEXT, f->returns_text);
	f->returns = shifted(s, LIST_TYPES, f->returns);
	f->site = 0;
	shift_part(s, LIST_PARAMETERS, &f->first, &f->n);
}

static void shift_all(struct table *t, const struct shift *s)
{
	for (uint32_t i = s->from[LIST_TYPES]; i < t->lists[LIST_TYPES].n; i++)
		shift_type(s, table_type(t, i));
	for (uint32_t i = s->from[LIST_MEMBERS]; i < t->lists[LIST_MEMBERS].n; i++) {
		struct table_member *m = (struct table_member *)t->lists[LIST_MEMBERS].bytes + i;

		m->name = shifted(s, LIST_TEXT, m->name);
		m->type = shifted(s, LIST_TYPES, m->type);
		m->bits = m->bits > 64 ? 0 : m->bits;
	}
	for (uint32_t i = s->from[LIST_ENUMERATORS]; i < t->lists[LIST_ENUMERATORS].n; i++) {
		struct table_enumerator *e = (struct table_enumerator *)t->lists[LIST_ENUMERATORS].bytes + i;

		e->name = shifted(s, LIST_TEXT, e->name);
	}
	for (uint32_t i = s->from[LIST_PARAMETERS]; i < t->lists[LIST_PARAMETERS].n; i++)
		shift_parameter(s, table_parameter(t, i));
	for (uint8_t *c = t->lists[LIST_TEXT].bytes + s->from[LIST_TEXT];
		c < t->lists[LIST_TEXT].bytes + t->lists[LIST_TEXT].n; c++)
		if (*c && (*c < ' ' || *c > '~'))
			*c = '?';
}

/* Functions that were asked for; others aren't there. */
static void name_functions(struct table *t, const struct shift *s, const char *const *sites, size_t n)
{
	uint32_t kept = s->from[LIST_FUNCTIONS];

	for (uint32_t i = kept; i < t->lists[LIST_FUNCTIONS].n; i++) {
		struct table_function f = *table_function(t, i);

		if (f.asked >= n)
			continue;
		shift_function(s, &f);
		f.site = table_text(t, sites[f.asked]);
		*table_function(t, kept++) = f;
	}
	t->lists[LIST_FUNCTIONS].n = kept;
}

int table_take(struct table *into, const uint8_t *bytes, size_t size, const char *const *sites, size_t n)
{
	const uint8_t *lists[N_LISTS];
	struct head head;
	struct shift s = {.head = &head};

	if (!find_lists(bytes, size, &head, lists))
		return EINVAL;
	if (!table_begin(into))
		return ENOMEM;
	for (int i = 0; i < N_LISTS; i++) {
		s.from[i] = into->lists[i].n;
		if (!list_reserve(into, i, head.n[i]))
			return ENOMEM;
	}
	for (int i = 0; i < N_LISTS; i++) {
		if (!head.n[i])
			continue;
		memcpy(into->lists[i].bytes + (size_t)s.from[i] * limits[i].size, lists[i],
			(size_t)head.n[i] * limits[i].size);
		into->lists[i].n += head.n[i];
	}
	shift_all(into, &s);
	name_functions(into, &s, sites, n);
	into->is_cut |= head.is_cut != 0;
	return 0;
}

/* ---- for users ---- */

/* All of it in one allocation, the texts last. */
struct public
{
	struct ward_types types;
	struct ward_function_types *functions;
	struct ward_parameter *parameters;
	struct ward_type *v;
	struct ward_type_member *members;
	struct ward_enumerator *enumerators;
	char *text;
};

static struct public *public_new(const struct table *t)
{
	const struct list *l = t->lists;
	size_t n = sizeof(struct public);
	struct public *p;

	n += l[LIST_FUNCTIONS].n * sizeof(*p->functions) + l[LIST_PARAMETERS].n * sizeof(*p->parameters);
	n += l[LIST_TYPES].n * sizeof(*p->v) + l[LIST_MEMBERS].n * sizeof(*p->members);
	n += l[LIST_ENUMERATORS].n * sizeof(*p->enumerators) + l[LIST_TEXT].n + 1;
	p = calloc(1, n);
	if (!p)
		return NULL;
	p->functions = (void *)(p + 1);
	p->parameters = (void *)(p->functions + l[LIST_FUNCTIONS].n);
	p->v = (void *)(p->parameters + l[LIST_PARAMETERS].n);
	p->members = (void *)(p->v + l[LIST_TYPES].n);
	p->enumerators = (void *)(p->members + l[LIST_MEMBERS].n);
	p->text = (char *)(p->enumerators + l[LIST_ENUMERATORS].n);
	if (l[LIST_TEXT].n)
		memcpy(p->text, l[LIST_TEXT].bytes, l[LIST_TEXT].n);
	return p;
}

static void fill_functions(struct public *p, const struct table *t)
{
	for (uint32_t i = 0; i < t->lists[LIST_FUNCTIONS].n; i++) {
		const struct table_function *f = table_function(t, i);

		p->functions[i] = (struct ward_function_types){.site = p->text + f->site,
			.why = f->why ? p->text + f->why : NULL,
			.returns_text = p->text + f->returns_text,
			.returns = f->returns,
			.first = f->first,
			.n = f->n};
	}
	for (uint32_t i = 0; i < t->lists[LIST_PARAMETERS].n; i++) {
		const struct table_parameter *f = table_parameter(t, i);

		p->parameters[i] = (struct ward_parameter){.name = p->text + f->name,
			.declaration = p->text + f->declaration,
			.type = f->type,
			.place = f->place,
			.why = f->why ? p->text + f->why : NULL,
			.member = f->member ? p->text + f->member : NULL};
	}
}

static void fill_types(struct public *p, const struct table *t)
{
	for (uint32_t i = 0; i < t->lists[LIST_TYPES].n; i++) {
		const struct table_type *f = table_type(t, i);

		p->v[i] = (struct ward_type){.kind = (enum ward_type_kind)f->kind,
			.is_signed = f->is_signed,
			.is_char = f->is_char,
			.is_union = f->is_union,
			.is_incomplete = f->is_incomplete,
			.name = p->text + f->name,
			.size = f->size,
			.of = f->of,
			.first = f->first,
			.n = f->n};
	}
	for (uint32_t i = 0; i < t->lists[LIST_MEMBERS].n; i++) {
		const struct table_member *f = (const struct table_member *)t->lists[LIST_MEMBERS].bytes + i;

		p->members[i] = (struct ward_type_member){p->text + f->name, f->type, f->bits, f->offset};
	}
	for (uint32_t i = 0; i < t->lists[LIST_ENUMERATORS].n; i++) {
		const struct table_enumerator *f =
			(const struct table_enumerator *)t->lists[LIST_ENUMERATORS].bytes + i;

		p->enumerators[i] = (struct ward_enumerator){f->value, p->text + f->name};
	}
}

struct ward_types *table_finish(const struct table *t)
{
	struct public *p = public_new(t);

	if (!p)
		return NULL;
	fill_functions(p, t);
	fill_types(p, t);
	p->types = (struct ward_types){p->functions, t->lists[LIST_FUNCTIONS].n, p->parameters,
		t->lists[LIST_PARAMETERS].n, p->v, t->lists[LIST_TYPES].n, p->members, t->lists[LIST_MEMBERS].n,
		p->enumerators, t->lists[LIST_ENUMERATORS].n, t->is_cut};
	return &p->types;
}

void ward_types_free(struct ward_types *types)
{
	free(types); /* the first member of what table_finish has made */
}
