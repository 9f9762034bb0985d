/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions in DWARF, found by the addresses of their code. A name may mean several functions, and a function may
 * have several names; an address is what a probe has. Units whose code is elsewhere are skipped, and functions are
 * looked for outside of functions, so the time is linear in the file's size.
 *
 * A function that was inlined somewhere, or is declared in a class, has its parameters in that other description (its
 * origin); what is at the address says where they are when it begins (places.c).
 *
 * All of this is done in the sandbox, as the file may be anybody's.
 */
#include "dwarf_functions.h"

#include "verifier/sandbox/sandbox.h"
#include "dwarf_types.h"
#include "places.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	CPU_TIME = 10000000 /* microseconds */,
	MEMORY_ROOM = 1 << 30,
	DEPTH_MOST = 200,
	PARAMETERS_MOST = 64, /* of one function */
	UNIT_RANGES_MOST = 1 << 16,
};

struct search {
	void *image;
	size_t size;
	struct dwarf_asked *asked; /* by address */
	size_t n;
	bool *found;
	struct table table;
	struct type_reader *types;
};

static int by_address(const void *a, const void *b)
{
	const struct dwarf_asked *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The first that is asked for at the address or behind it. */
static size_t lower_bound(const struct search *s, uint64_t address)
{
	size_t lo = 0, n = s->n;

	while (n > 0) {
		size_t half = n / 2;

		if (s->asked[lo + half].address < address) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* ---- one function ---- */

static bool has_formal(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter;
}

/* The description that has the parameters' names and types. */
static Dwarf_Die origin_of(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (dwarf_attr(function, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin))
		return origin;
	return *function;
}

/* Which argument a register is; PLACE_NOWHERE: another register. */
static int32_t argument_in(unsigned op)
{
	static const unsigned registers[TABLE_ARGUMENTS] = {5, 4, 1, 2, 8, 9};

	for (int32_t i = 0; i < TABLE_ARGUMENTS; i++)
		if (op == DW_OP_reg0 + registers[i])
			return i;
	return PLACE_NOWHERE;
}

/* What the copy of a parameter that belongs to the code says. Code that isn't optimized says where it keeps it. */
static struct place_hint hint_of(Dwarf_Die *parameter, uint64_t address)
{
	struct place_hint hint = {.at = PLACE_UNKNOWN};
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	if (dwarf_attr(parameter, DW_AT_const_value, &attr))
		hint.is_constant = true;
	if (dwarf_attr(parameter, DW_AT_location, &attr) && dwarf_getlocation_addr(&attr, address, &op, &n, 1) == 1 &&
		n == 1 && op[0].atom >= DW_OP_reg0 && op[0].atom <= DW_OP_reg31)
		hint.at = argument_in(op[0].atom);
	return hint;
}

/* The n-th parameter's copy at the code, by its origin; they are in the same order, but some may be missing. */
static bool find_copy(Dwarf_Die *next, bool *more, Dwarf_Die *parameter, Dwarf_Die *copy)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin, at = *next;

	for (bool left = *more; left; left = dwarf_siblingof(&at, &at) == 0) {
		if (!has_formal(&at))
			continue;
		if (at.addr == parameter->addr ||
			(dwarf_attr(&at, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin) &&
				origin.addr == parameter->addr)) {
			*copy = at;
			*next = at;
			*more = dwarf_siblingof(next, next) == 0;
			return true;
		}
	}
	return false;
}

static uint32_t add_parameters(
	struct search *s, Dwarf_Die *function, Dwarf_Die *origin, uint64_t address, struct place_hint *hints)
{
	Dwarf_Die parameter, next, copy;
	bool more = dwarf_child(function, &next) == 0;
	uint32_t n = 0;

	if (dwarf_child(origin, &parameter) != 0)
		return 0;
	do {
		struct table_parameter p = {.place = -1}, *added;
		const char *name;
		char text[300];

		if (!has_formal(&parameter) || n == PARAMETERS_MOST)
			continue;
		hints[n] = (struct place_hint){.at = PLACE_UNKNOWN};
		if (find_copy(&next, &more, &parameter, &copy))
			hints[n] = hint_of(&copy, address);
		else if (dwarf_hasattr(&parameter, DW_AT_artificial))
			continue; /* of another kind of constructor, which is told more */
		name = dwarf_diename(&parameter);
		types_declare(&parameter, name, text, sizeof(text));
		p.name = table_text(&s->table, name);
		p.declaration = table_text(&s->table, text);
		p.type = types_number(s->types, &parameter);
		added = table_add(&s->table, LIST_PARAMETERS);
		if (!added)
			break;
		*added = p;
		n++;
	} while (dwarf_siblingof(&parameter, &parameter) == 0);
	return n;
}

/* Copies that a compiler has made for some of the callers, "f.constprop.0", and such that say so. */
static bool is_changed(Dwarf_Die *function, const char *symbol)
{
	static const char *const parts[] = {".isra", ".constprop", ".part", ".cold", ".specialized"};
	Dwarf_Attribute attr;
	Dwarf_Word convention;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(symbol, parts[i]))
			return true;
	return dwarf_attr(function, DW_AT_calling_convention, &attr) && dwarf_formudata(&attr, &convention) == 0 &&
	       convention != DW_CC_normal;
}

static void add_function(struct search *s, Dwarf_Die *function, size_t which)
{
	const struct dwarf_asked *asked = &s->asked[which];
	struct place_hint hints[PARAMETERS_MOST];
	struct table_function f = {.asked = asked->number}, *added;
	Dwarf_Die origin = origin_of(function), type = origin;
	char text[300];

	f.first = s->table.lists[LIST_PARAMETERS].n;
	f.n = add_parameters(s, function, &origin, asked->address, hints);
	types_declare(&origin, NULL, text, sizeof(text));
	f.returns_text = table_text(&s->table, text);
	f.returns = types_number(s->types, &origin);
	if (!f.returns && !types_step(&type)) {
		struct table_type *nothing = table_add(&s->table, LIST_TYPES);

		if (nothing)
			nothing->kind = WARD_TYPE_VOID;
		f.returns = nothing ? s->table.lists[LIST_TYPES].n - 1 : 0;
	}
	places_find(&s->table, f.first, f.n, f.returns,
		(struct place_call){types_is_c(function), is_changed(function, asked->symbol)}, hints);
	added = table_add(&s->table, LIST_FUNCTIONS);
	if (added)
		*added = f;
	s->found[which] = true;
}

/* Those that begin at the address. */
static void see_address(struct search *s, Dwarf_Die *function, uint64_t address)
{
	for (size_t i = lower_bound(s, address); i < s->n && s->asked[i].address == address; i++)
		if (!s->found[i])
			add_function(s, function, i);
}

/* The beginnings of its pieces. */
static void see_function(struct search *s, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (dwarf_lowpc(function, &start) == 0) {
		see_address(s, function, start);
		return;
	}
	for (int n = 0; n < UNIT_RANGES_MOST && (at = dwarf_ranges(function, at, &base, &start, &end)) > 0; n++)
		see_address(s, function, start);
}

/* ---- all of them ---- */

static void find_functions(struct search *s, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MOST || dwarf_child(scope, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram: see_function(s, &die); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type: find_functions(s, &die, depth + 1); break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Has the unit code that is asked for? Yes, if it doesn't say where its code is. */
static bool may_have(struct search *s, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	bool any = false;

	for (int n = 0; n < UNIT_RANGES_MOST && (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0; n++) {
		size_t i = lower_bound(s, start);

		any = true;
		if (i < s->n && s->asked[i].address < end)
			return true;
	}
	return !any;
}

/* In the child. */
static bool search_child(void *arg, int fd)
{
	struct search *s = arg;
	Dwarf_CU *cu = NULL;
	Dwarf *dwarf;
	Dwarf_Die die;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(s->image, s->size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	s->found = calloc(s->n, sizeof(*s->found));
	s->types = calloc(1, sizeof(*s->types));
	if (!dwarf || !s->found || !s->types)
		return false;
	s->types->table = &s->table;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		if (may_have(s, &die))
			find_functions(s, &die, 0);
	types_read(s->types);
	return s->table.lists[LIST_TYPES].n == 0 || table_write(&s->table, fd);
}

int dwarf_functions_read(const struct wl_elf *elf, struct dwarf_asked *asked, size_t n, const char *const *sites,
	size_t n_sites, struct table *into)
{
	struct search s = {.size = elf->size, .asked = asked, .n = n};
	struct sandbox sandbox = {search_child, &s, CPU_TIME, MEMORY_ROOM, TABLE_BYTES};
	uint8_t *bytes;
	long size;
	int rc;

	qsort(asked, n, sizeof(*asked), by_address);
	/* Only the child reads it; a file that is truncated meanwhile costs the child its life. */
	s.image = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, elf->fd, 0);
	if (s.image == MAP_FAILED)
		return EINVAL;
	size = sandbox_run(&sandbox, &bytes);
	rc = size < 0 ? (errno == ENOMEM ? ENOMEM : EINVAL) : 0;
	munmap(s.image, s.size);
	if (size > 0)
		rc = table_take(into, bytes, (size_t)size, sites, n_sites);
	if (size >= 0)
		free(bytes);
	return rc;
}
