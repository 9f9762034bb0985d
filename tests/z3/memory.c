/* Objects and their scalars. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static struct object objects[MAX_OBJECTS];
static unsigned n_objects;

struct object *object_at(unsigned index)
{
	return &objects[index];
}

unsigned object_new(void)
{
	if (n_objects == MAX_OBJECTS)
		give_up("too many objects");
	return n_objects++;
}

void object_cut(struct object *o, unsigned bytes)
{
	if (o->n_cells == MAX_CELLS)
		give_up("an object with too many scalars");
	o->cell = realloc(o->cell, (o->n_cells + 1) * sizeof *o->cell);
	o->cell[o->n_cells].offset = o->size;
	o->cell[o->n_cells++].bytes = (uint8_t)bytes;
	o->size += bytes;
}

void memory_add(struct memory *m, unsigned object)
{
	const struct object *o = &objects[object];
	for (; m->n <= object; m->n++)
		m->cells[m->n] = NULL;
	term *cells = calloc(o->n_cells, sizeof *cells);
	for (unsigned i = 0; i < o->n_cells; i++)
		cells[i] = fresh(8 * o->cell[i].bytes);
	m->cells[object] = cells;
}

struct memory *memory_copy(const struct memory *from)
{
	struct memory *to = calloc(1, sizeof *to);
	to->n = from->n;
	for (unsigned i = 0; i < from->n; i++) {
		if (!from->cells[i])
			continue;
		size_t size = objects[i].n_cells * sizeof(term);
		to->cells[i] = malloc(size);
		memcpy(to->cells[i], from->cells[i], size);
	}
	return to;
}

void memory_free(struct memory *m)
{
	for (unsigned i = 0; m && i < m->n; i++)
		free(m->cells[i]);
	free(m);
}

/* *m where `when` is false, `other` where it holds. */
void memory_join(struct memory *m, term when, const struct memory *other)
{
	for (; m->n < other->n; m->n++)
		m->cells[m->n] = NULL;
	for (unsigned i = 0; i < other->n; i++) {
		const term *theirs = other->cells[i];
		size_t n = objects[i].n_cells;
		if (!theirs)
			continue;
		if (!m->cells[i]) {
			m->cells[i] = malloc(n * sizeof(term));
			memcpy(m->cells[i], theirs, n * sizeof(term));
			continue;
		}
		for (size_t c = 0; c < n; c++)
			m->cells[i][c] = ite(when, theirs[c], m->cells[i][c]);
	}
}

static const term *cells_of(const struct memory *m, unsigned object)
{
	if (objects[object].constant)
		return objects[object].constant;
	if (object >= m->n || !m->cells[object])
		give_up("an access to an object that is not there");
	return m->cells[object];
}

static term load_place(const struct memory *m, const struct place *p, uint64_t offset, unsigned bytes)
{
	const struct object *o = &objects[p->object];
	const term *cells = cells_of(m, p->object);
	uint64_t at = p->offset + offset, end = at + bytes;
	term all = NULL;
	if (end > o->size)
		give_up("a load outside its object");
	for (unsigned i = 0; i < o->n_cells; i++) {
		uint64_t start = o->cell[i].offset, stop = start + o->cell[i].bytes;
		if (stop <= at || start >= end)
			continue;
		uint64_t from = start > at ? start : at, to = stop < end ? stop : end;
		term piece = extract((unsigned)(8 * (to - start) - 1), (unsigned)(8 * (from - start)), cells[i]);
		all = all ? concat(piece, all) : piece;
	}
	return all;
}

static void store_place(struct memory *m, const struct place *p, uint64_t offset, term value)
{
	const struct object *o = &objects[p->object];
	if (o->constant)
		give_up("a store to a constant");
	cells_of(m, p->object);
	term *cells = m->cells[p->object];
	uint64_t at = p->offset + offset, end = at + width_of(value) / 8;
	if (end > o->size)
		give_up("a store outside its object");
	for (unsigned i = 0; i < o->n_cells; i++) {
		uint64_t start = o->cell[i].offset, stop = start + o->cell[i].bytes;
		if (stop <= at || start >= end)
			continue;
		uint64_t from = start > at ? start : at, to = stop < end ? stop : end;
		term part = extract((unsigned)(8 * (to - at) - 1), (unsigned)(8 * (from - at)), value);
		if (to < stop)
			part = concat(extract((unsigned)(8 * (stop - start) - 1), (unsigned)(8 * (to - start)), cells[i]), part);
		if (from > start)
			part = concat(part, extract((unsigned)(8 * (from - start) - 1), 0, cells[i]));
		cells[i] = ite(p->when, part, cells[i]);
	}
}

term exec_load(const struct memory *m, const struct value *p, uint64_t offset, unsigned bytes)
{
	if (p->kind != POINTER || !p->n)
		give_up("a load through what is no pointer");
	term t = load_place(m, &p->place[0], offset, bytes);
	for (unsigned i = 1; i < p->n; i++)
		t = ite(p->place[i].when, load_place(m, &p->place[i], offset, bytes), t);
	return t;
}

void exec_store(struct memory *m, const struct value *p, uint64_t offset, term value)
{
	if (p->kind != POINTER)
		give_up("a store through what is no pointer");
	for (unsigned i = 0; i < p->n; i++)
		store_place(m, &p->place[i], offset, value);
}

/* The pieces in which [offset, offset + bytes) of *p's object is cut, so that a copy keeps scalars whole. */
void memory_copy_bytes(struct memory *m, const struct value *to, const struct value *from, uint64_t bytes)
{
	if (to->kind != POINTER || from->kind != POINTER)
		give_up("a copy through what is no pointer");
	const struct place *p = &from->place[0];
	const struct object *o = &objects[p->object];
	term pieces[MAX_CELLS];
	uint64_t at[MAX_CELLS];
	unsigned n = 0;
	for (unsigned i = 0; i < o->n_cells; i++) {
		uint64_t start = o->cell[i].offset, stop = start + o->cell[i].bytes;
		if (stop <= p->offset || start >= p->offset + bytes)
			continue;
		if (start < p->offset || stop > p->offset + bytes)
			give_up("a copy of part of a scalar");
		at[n] = start - p->offset;
		pieces[n++] = exec_load(m, from, start - p->offset, o->cell[i].bytes);
	}
	for (unsigned i = 0; i < n; i++)
		exec_store(m, to, at[i], pieces[i]);
}

void memory_fill(struct memory *m, const struct value *to, uint8_t byte, uint64_t bytes)
{
	if (to->kind != POINTER || to->n != 1)
		give_up("memory filled through what is no plain pointer");
	const struct object *o = &objects[to->place[0].object];
	uint64_t first = to->place[0].offset, end = first + bytes;
	for (unsigned i = 0; i < o->n_cells; i++) {
		uint64_t start = o->cell[i].offset, stop = start + o->cell[i].bytes;
		if (stop <= first || start >= end)
			continue;
		if (start < first || stop > end)
			give_up("part of a scalar is filled");
		exec_store(m, to, start - first, bits(8 * o->cell[i].bytes, UINT64_C(0x0101010101010101) * byte));
	}
}

struct value pointer_to(unsigned object)
{
	return (struct value){.kind = POINTER, .n = 1, .place = {{truth(true), object, 0}}};
}

struct value exec_object(struct memory *m, const uint8_t *widths)
{
	unsigned object = object_new();
	for (; *widths; widths++)
		object_cut(&objects[object], *widths);
	memory_add(m, object);
	return pointer_to(object);
}

struct value exec_bits(term t)
{
	return (struct value){.kind = BITS, .n = 1, .part = {t}};
}
