/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions were inlined at an address.
 *
 * DWARF has a tree for each unit. A function that has code is an entry with ranges of addresses (DW_TAG_subprogram),
 * and each copy of another function in it is an entry below it, with ranges within (DW_TAG_inlined_subroutine), which
 * may contain more of them. So the copies at an address are a path downwards. All addresses are looked up in one pass:
 * they are in order, a range is a slice of them, and only entries whose slice isn't empty are gone into. Most units
 * have no address, and of those most functions haven't; they are skipped by their ranges. Lists of ranges of units
 * (.debug_aranges) aren't used: some compilers don't make them.
 *
 * A copy refers to the function's description, which has its symbol. Functions that are visible in one file only have
 * none; in languages with namespaces another pass over the unit's scopes, without what is in functions, finds the
 * scopes of their names.
 *
 * The file is hostile: this is a confined process with limits of time, memory and output, and depths are limited here.
 */
#include "inline_dwarf.h"

#include "verifier/sandbox/sandbox.h"
#include "demangle.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, PENDING = 1 << 16 };

/* A description of a function that was inlined somewhere. */
struct origin {
	const void *entry; /* its address, the key */
	Dwarf_Die die;
	uint32_t number;       /* of its name, from 1 on; 0: not written yet */
	struct origin *scoped; /* the one whose scopes its name has; NULL: none are looked for */
	char *text;            /* of a scoped one */
};

struct place {
	const void *function; /* the entry whose code it is */
	uint32_t n;
	struct origin *chain[WL_INLINE_DEPTH];
};

struct walk {
	const struct wl_inline_question *q;
	struct place *place;  /* one for each address */
	void *origins;        /* trees (tsearch) */
	void *scoped;         /* declarations whose scopes are wanted, */
	void *units;          /* and the units that these are in */
	const void *function; /* the one gone into */
	bool whole;           /* go into functions of no address, too: others may be within them */
	bool failed;          /* no memory */
	int fd;
	size_t pending;
	uint8_t out[PENDING];
	uint32_t n_names;
};

static int by_entry(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;

	return (x->entry > y->entry) - (x->entry < y->entry);
}

static struct origin *origin_in(struct walk *w, void **tree, const Dwarf_Die *die)
{
	struct origin key = {.entry = die->addr}, **found = tfind(&key, tree, by_entry), *o;

	if (found)
		return *found;
	o = calloc(1, sizeof(*o));
	if (o) {
		o->entry = die->addr;
		o->die = *die;
		found = tsearch(o, tree, by_entry);
	}
	w->failed |= !o || !found;
	return found ? o : NULL;
}

/* ---- The addresses ---- */

static size_t first_from(const struct walk *w, uint64_t address, size_t lo, size_t hi)
{
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->q->address[mid] < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void walk_body(struct walk *w, Dwarf_Die *scope, size_t lo, size_t hi, unsigned level, unsigned depth);

/* The copy is at these addresses, `level` others around it. */
static void note_copy(struct walk *w, Dwarf_Die *die, size_t lo, size_t hi, unsigned level)
{
	struct origin *o;
	Dwarf_Attribute attr;
	Dwarf_Die described;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &described))
		return;
	o = origin_in(w, &w->origins, &described);
	for (size_t i = lo; o && i < hi; i++)
		if (w->place[i].function == w->function && w->place[i].n == level && level < WL_INLINE_DEPTH)
			w->place[i].chain[w->place[i].n++] = o;
}

/* Part of a function's body: a copy or a block. A block without ranges is wherever the function is. */
static void see_part(struct walk *w, Dwarf_Die *die, size_t lo, size_t hi, unsigned level, unsigned depth)
{
	bool copy = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges)) {
		if (!copy)
			walk_body(w, die, lo, hi, level, depth + 1);
		return;
	}
	while (!w->failed && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		size_t from = first_from(w, start, lo, hi), to = first_from(w, end, lo, hi);

		if (from >= to)
			continue;
		if (copy)
			note_copy(w, die, from, to, level);
		walk_body(w, die, from, to, level + copy, depth + 1);
	}
}

/* A function with code: of addresses that two of them claim, the first one has it. */
static void see_function(struct walk *w, Dwarf_Die *die, unsigned depth)
{
	const void *outer = w->function;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	w->function = die->addr;
	while (!w->failed && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		size_t from = first_from(w, start, 0, w->q->n), to = first_from(w, end, 0, w->q->n);

		for (size_t i = from; i < to; i++)
			if (!w->place[i].function)
				w->place[i].function = die->addr;
		if (from < to)
			walk_body(w, die, from, to, 0, depth + 1);
	}
	if (w->whole)
		walk_body(w, die, 0, 0, 0, depth + 1);
	w->function = outer;
}

static void walk_body(struct walk *w, Dwarf_Die *scope, size_t lo, size_t hi, unsigned level, unsigned depth)
{
	Dwarf_Die die;

	if (depth >= DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram: see_function(w, &die, depth); break;
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block: see_part(w, &die, lo, hi, level, depth); break;
		}
	} while (!w->failed && dwarf_siblingof(&die, &die) == 0);
}

/* What is outside functions. */
static void walk_scope(struct walk *w, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth >= DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram: see_function(w, &die, depth); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type: walk_scope(w, &die, depth + 1); break;
		}
	} while (!w->failed && dwarf_siblingof(&die, &die) == 0);
}

/* Has the unit addresses; are there any of no function? */
static void count_in_unit(struct walk *w, Dwarf_Die *unit, bool *any, bool *without)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	*any = *without = false;
	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		size_t from = first_from(w, start, 0, w->q->n), to = first_from(w, end, 0, w->q->n);

		*any |= from < to;
		for (size_t i = from; i < to; i++)
			*without |= !w->place[i].function;
		if (*without)
			return;
	}
}

/* First without functions of no address. */
static void walk_units(struct walk *w, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	bool any, without;
	uint8_t type;
	Dwarf_Die die;

	while (!w->failed && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile)
			continue;
		count_in_unit(w, &die, &any, &without);
		if (!any)
			continue;
		walk_scope(w, &die, 0);
		count_in_unit(w, &die, &any, &without);
		w->whole = true;
		if (without)
			walk_scope(w, &die, 0);
		w->whole = false;
	}
}

/* ---- Names ---- */

static const char *symbol_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return NULL;
}

static bool is_of_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler: return true;
	default: return false;
	}
}

/* Scopes of functions that are declared here, those looked for. */
static void find_scopes(struct walk *w, Dwarf_Die *scope, const char *prefix, unsigned depth)
{
	char longer[WL_INLINE_TEXT];
	Dwarf_Die die;

	if (depth >= DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		struct origin key = {.entry = die.addr}, **found;
		const char *name = dwarf_diename(&die);

		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			found = tfind(&key, &w->scoped, by_entry);
			if (found && name && !(*found)->text &&
				asprintf(&(*found)->text, "%s%.*s", prefix, WL_INLINE_TEXT, name) < 0)
				(*found)->text = NULL;
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			if (snprintf(longer, sizeof(longer), "%s%s::", prefix, name ? name : "(anonymous namespace)") <
				(int)sizeof(longer))
				find_scopes(w, &die, longer, depth + 1);
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Of one without a symbol: the name's scopes are those of the declaration, which are looked for later. */
static void scopes_want(struct walk *w, struct origin *o)
{
	Dwarf_Die declared = o->die, unit;
	Dwarf_Attribute attr;

	if (o->scoped || symbol_of(&o->die))
		return;
	if (dwarf_attr_integrate(&o->die, DW_AT_specification, &attr))
		dwarf_formref_die(&attr, &declared);
	if (!dwarf_diecu(&declared, &unit, NULL, NULL) || is_of_c(&unit))
		return;
	o->scoped = origin_in(w, &w->scoped, &declared);
	origin_in(w, &w->units, &unit);
}

static void scopes_of_unit(const void *node, VISIT visit, void *walk)
{
	struct origin *unit = *(struct origin *const *)node;

	if (visit == postorder || visit == leaf)
		find_scopes(walk, &unit->die, "", 0);
}

static void find_names(struct walk *w)
{
	for (size_t i = 0; !w->failed && i < w->q->n; i++)
		for (size_t k = 0; k < w->place[i].n; k++)
			scopes_want(w, w->place[i].chain[k]);
	if (!w->failed)
		twalk_r(w->units, scopes_of_unit, w);
}

/* ---- The answer ---- */

static void out_flush(struct walk *w)
{
	w->failed |= w->pending && !sandbox_write(w->fd, w->out, w->pending);
	w->pending = 0;
}

static void out_put(struct walk *w, const void *bytes, size_t n)
{
	if (w->pending + n > sizeof(w->out))
		out_flush(w);
	memcpy(w->out + w->pending, bytes, n);
	w->pending += n;
}

static void put_name(struct walk *w, struct origin *o)
{
	const char *symbol = symbol_of(&o->die);
	const char *plain = o->scoped && o->scoped->text ? o->scoped->text : dwarf_diename(&o->die);
	char *readable = symbol ? wl_demangled(symbol) : NULL;
	const char *text = readable ? readable : symbol ? symbol : plain;
	size_t n = text ? strnlen(text, WL_INLINE_TEXT) : 0;
	struct wl_inline_part part = {WL_INLINE_NAME, 0, (uint32_t)n};

	out_put(w, &part, sizeof(part));
	if (n)
		out_put(w, text, n);
	o->number = ++w->n_names;
	free(readable);
}

static void put_chain(struct walk *w, size_t at)
{
	const struct place *p = &w->place[at];
	struct wl_inline_part part = {WL_INLINE_CHAIN, (uint32_t)at, p->n};

	for (size_t i = 0; i < p->n; i++)
		if (!p->chain[i]->number)
			put_name(w, p->chain[i]);
	out_put(w, &part, sizeof(part));
	for (size_t i = 0; i < p->n; i++) {
		uint32_t number = p->chain[i]->number - 1;

		out_put(w, &number, sizeof(number));
	}
}

bool wl_inline_answer(void *question, int fd)
{
	const struct wl_inline_question *q = question;
	struct walk *w = calloc(1, sizeof(*w));
	Dwarf *dwarf;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(q->image, q->size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!dwarf || !w)
		return false;
	w->q = q;
	w->fd = fd;
	w->place = calloc(q->n, sizeof(*w->place));
	w->failed = !w->place;
	walk_units(w, dwarf);
	find_names(w);
	for (size_t i = 0; !w->failed && i < q->n; i++)
		if (w->place[i].n)
			put_chain(w, i);
	if (!w->failed)
		out_put(w, &(struct wl_inline_part){WL_INLINE_END, 0, 0}, sizeof(struct wl_inline_part));
	out_flush(w);
	return !w->failed;
}
