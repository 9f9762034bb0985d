/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic execution: objects and their scalars. */
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

/*
 * Scalars that are copied byte by byte become themselves again: bits of what was put together are bits of its parts,
 * and neighbouring bits of one term, or of choices by one condition, are put together to it.
 */
bool exec_rejoins;

static term piece(unsigned high, unsigned low, term t)
{
	term when, yes, no;
	if (!exec_rejoins || (low == 0 && high + 1 == width_of(t)))
		return extract(high, low, t);
	if (is_choice(t, &when, &yes, &no))
		return ite(when, piece(high, low, yes), piece(high, low, no));
	if (is_concat(t)) {
		unsigned lower = width_of(operand(t, 1));
		if (high < lower)
			return piece(high, low, operand(t, 1));
		if (low >= lower)
			return piece(high - lower, low - lower, operand(t, 0));
	}
	unsigned from;
	if (is_extract(t, &from))
		return extract(high + from, low + from, operand(t, 0));
	return extract(high, low, t);
}

static term together(term high, term low)
{
	term when, other, a = high, b = high, c = low, d = low;
	unsigned from, at;
	if (!exec_rejoins)
		return concat(high, low);
	bool by_high = is_choice(high, &when, &a, &b), by_low = is_choice(low, by_high ? &other : &when, &c, &d);
	if (by_high && by_low && when != other)
		c = d = low;
	if (by_high || by_low)
		return ite(when, together(a, c), together(b, d));
	if (is_extract(high, &from) && is_extract(low, &at) && operand(high, 0) == operand(low, 0) &&
		from == at + width_of(low))
		return extract(from + width_of(high) - 1, at, operand(high, 0));
	return concat(high, low);
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
		term part = piece((unsigned)(8 * (to - start) - 1), (unsigned)(8 * (from - start)), cells[i]);
		all = all ? together(part, all) : part;
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
		term part = piece((unsigned)(8 * (to - at) - 1), (unsigned)(8 * (from - at)), value);
		if (to < stop)
			part = together(
				piece((unsigned)(8 * (stop - start) - 1), (unsigned)(8 * (to - start)), cells[i]),
				part);
		if (from > start)
			part = together(part, piece((unsigned)(8 * (from - start) - 1), 0, cells[i]));
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

/* ---- pointers in memory ---- */

enum { MAX_POINTERS = 8 };
static struct {
	unsigned object;
	uint64_t offset;
	struct value to;
} pointers[MAX_POINTERS];
static unsigned n_pointers;

void memory_point(const struct value *where, uint64_t offset, const struct value *to)
{
	if (n_pointers == MAX_POINTERS)
		give_up("too many pointers in memory");
	pointers[n_pointers].object = where->place[0].object;
	pointers[n_pointers].offset = where->place[0].offset + offset;
	pointers[n_pointers++].to = *to;
}

enum { MAX_WORDS = 40 };
static struct {
	unsigned object;
	uint64_t offset;
	term word;
} words[MAX_WORDS];
static unsigned n_words;

static term word_of(const struct place *p)
{
	for (unsigned i = 0; i < n_words; i++) {
		if (words[i].object == p->object && words[i].offset == p->offset)
			return words[i].word;
	}
	if (n_words == MAX_WORDS)
		give_up("too many pointers are stored");
	words[n_words].object = p->object;
	words[n_words].offset = p->offset;
	return words[n_words++].word = fresh(64);
}

term memory_word(const struct value *p)
{
	term t = p->part[1] ? p->part[1] : bits(64, 0);
	if (!p->n && p->part[0])
		t = add(t, p->part[0]);
	for (unsigned i = 0; i < p->n; i++)
		t = ite(p->place[i].when, word_of(&p->place[i]), t);
	return t;
}

bool memory_place(term word, struct value *pointer)
{
	for (unsigned i = 0; i < n_words; i++) {
		if (words[i].word != word)
			continue;
		*pointer = (struct value){
			.kind = POINTER, .n = 1, .place = {{truth(true), words[i].object, words[i].offset}}};
		return true;
	}
	return false;
}

void memory_no_pointers(void)
{
	n_pointers = n_words = 0;
}

const struct value *memory_pointer(const struct value *where)
{
	for (unsigned i = 0; where->n == 1 && i < n_pointers; i++) {
		if (pointers[i].object == where->place[0].object && pointers[i].offset == where->place[0].offset)
			return &pointers[i].to;
	}
	return NULL;
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
