/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting the inlined copies of a function.
 *
 * An inlined function's code is part of other functions, where a probe of the function doesn't run. DWARF has a
 * description of the function that is marked as inlined (an abstract instance) and names it. It has one
 * DW_TAG_inlined_subroutine for each copy, inside the function that contains the copy, which refers to the
 * description. So the first step finds the descriptions with the name, among the entries of a unit that are outside
 * functions. The second step counts the copies in the units that have such a description. Only link-time optimisation
 * and dwz make copies refer to a description in another unit, which need not mention that. Units that use the form
 * for such references, as their abbreviations say, are searched as well.
 *
 * Functions that are visible in one file only (static, or in an unnamed namespace) have no symbol in their
 * description. They are found by the names of their scopes, without parameters.
 *
 * All this is done for one name and not for patterns: most units aren't read beyond what is outside functions. libdw
 * runs in the sandbox, as does the reader of symbols.
 */
#include "inlined.h"

#include "verifier/sandbox/sandbox.h"
#include "debug_file.h"
#include "demangle.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CPU_TIME = 10000000 /* microseconds */,
	MEMORY_ROOM = 1 << 30,
	MOST = 256,         /* functions of one name */
	ORIGINS_MAX = 4096, /* descriptions of them: each unit that includes a header has its own */
	DEPTH_MAX = 200,
	TEXT_MAX = 4096,
};

/* What the child says of one function. */
struct inlined_fn {
	uint64_t copies;
	char name[TEXT_MAX];     /* symbol */
	char readable[TEXT_MAX]; /* or empty */
};

struct origin {
	void *die; /* its address */
	size_t fn;
};

struct search {
	void *image;
	size_t size;
	const char *name;
	struct inlined_fn *fns;
	size_t n_fns;
	struct origin *origins;
	size_t n_origins;
	bool inlined; /* one was seen that says so of itself */
};

/* "shop::half". The scopes are those of the declaration, if there is one elsewhere. */
static bool scoped_name(Dwarf_Die *die, char *text, size_t size)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared = *die, *scope = NULL;
	size_t used = 0;
	int n;

	if (dwarf_attr(die, DW_AT_specification, &attr))
		dwarf_formref_die(&attr, &declared);
	n = dwarf_getscopes_die(&declared, &scope);
	text[0] = 0;
	for (int i = n - 1; i >= 0; i--) {
		int tag = dwarf_tag(&scope[i]);
		const char *name = dwarf_diename(&scope[i]);

		if (tag != DW_TAG_namespace && tag != DW_TAG_class_type && tag != DW_TAG_structure_type &&
			tag != DW_TAG_union_type && tag != DW_TAG_subprogram)
			continue;
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", used ? "::" : "", name ? name : "(anonymous namespace)");
		if (used >= size)
			break;
	}
	free(scope);
	return n > 0 && used && used < size;
}

/* The symbol of a description, or the function's name. False if it has none. */
static bool name_of(Dwarf_Die *die, char *text, size_t size)
{
	Dwarf_Attribute attr;
	const char *s = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		s = dwarf_formstring(&attr);
	if (!s)
		return scoped_name(die, text, size);
	return (size_t)snprintf(text, size, "%s", s) < size;
}

/*
 * A symbol that is the name asked for, or means it; or a name without parameters, whatever those are that were asked
 * for.
 */
static bool symbol_matches(const struct wl_symbol *s, const char *asked)
{
	size_t n = wl_plain_length(asked);

	return strcmp(s->name, asked) == 0 || wl_name_matches(s, asked, true) ||
	       (!s->readable && strlen(s->name) == n && strncmp(s->name, asked, n) == 0);
}

/*
 * Has the name asked for this one in it? Most have not, and that is quick to see: without template arguments it is a
 * part of it.
 */
static bool may_be(const char *asked, const char *name)
{
	size_t n = strcspn(name, "<"), all = strlen(asked);

	if (n < strlen("operator<") && strncmp(name, "operator", n) == 0)
		return true;
	return n && n <= all && memmem(asked, all, name, n);
}

/* The function's place in the list, or MOST. */
static size_t place_of(struct search *s, const char *symbol)
{
	struct wl_symbol one = {.name = symbol};
	struct inlined_fn *t = &s->fns[s->n_fns];
	char *text = NULL;

	for (size_t i = 0; i < s->n_fns; i++)
		if (strcmp(s->fns[i].name, symbol) == 0)
			return i;
	if (s->n_fns == MOST)
		return MOST;
	text = wl_demangled(symbol);
	one.readable = text && strlen(text) < TEXT_MAX ? text : NULL;
	if (!symbol_matches(&one, s->name)) {
		free(text);
		return MOST;
	}
	strcpy(t->name, symbol);
	strcpy(t->readable, one.readable ? one.readable : "");
	free(text);
	return s->n_fns++;
}

static bool is_inlined(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word how;

	return dwarf_attr(die, DW_AT_inline, &attr) && dwarf_formudata(&attr, &how) == 0 &&
	       (how == DW_INL_inlined || how == DW_INL_declared_inlined);
}

static void see_description(struct search *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	char whole[TEXT_MAX];
	size_t place;

	if (!name || !may_be(s->name, name) || s->n_origins == ORIGINS_MAX || !name_of(die, whole, sizeof(whole)))
		return;
	place = place_of(s, whole);
	if (place == MOST)
		return;
	s->origins[s->n_origins++] = (struct origin){die->addr, place};
	s->inlined |= is_inlined(die);
}

/* Descriptions in the scope, outside of functions. */
static void find_descriptions(struct search *s, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram: see_description(s, &die); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type: find_descriptions(s, &die, depth + 1); break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int by_die(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;

	return x->die < y->die ? -1 : x->die > y->die;
}

/* One that has code, and isn't part of a description. */
static void see_copy(struct search *s, Dwarf_Die *die)
{
	const struct origin *found;
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges) &&
		!dwarf_hasattr(die, DW_AT_entry_pc))
		return;
	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return;
	found = bsearch(&(struct origin){.die = origin.addr}, s->origins, s->n_origins, sizeof(*s->origins), by_die);
	if (found)
		s->fns[found->fn].copies++;
}

static void find_copies(struct search *s, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			see_copy(s, &die);
		find_copies(s, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Do copies in the unit refer to descriptions in other ones? Its abbreviations say. */
static bool refers_abroad(Dwarf_Die *unit)
{
	Dwarf_Off offset = 0;
	size_t length;

	for (;;) {
		Dwarf_Abbrev *abbrev = dwarf_getabbrev(unit, offset, &length);
		size_t n;

		if (!abbrev || abbrev == DWARF_END_ABBREV)
			return false;
		offset += length;
		if (dwarf_getabbrevtag(abbrev) != DW_TAG_inlined_subroutine || dwarf_getattrcnt(abbrev, &n) != 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			unsigned name, form;

			if (dwarf_getabbrevattr(abbrev, i, &name, &form, NULL) == 0 && name == DW_AT_abstract_origin &&
				(form == DW_FORM_ref_addr || form == DW_FORM_GNU_ref_alt))
				return true;
		}
	}
}

/* All units; first descriptions are found, then copies in those that may have any. */
static void go_through(struct search *s, Dwarf *dwarf)
{
	size_t cap = 0, n = 0;
	Dwarf_CU *cu = NULL;
	struct {
		Dwarf_Die die;
		bool has;
	} *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		s->inlined = false;
		if (n == cap) {
			void *v = realloc(unit, (cap = cap ? cap * 2 : 256) * sizeof(*unit));

			if (!v)
				break;
			unit = v;
		}
		find_descriptions(s, &die, 0);
		unit[n].die = die;
		unit[n++].has = s->inlined;
	}
	if (s->n_origins)
		qsort(s->origins, s->n_origins, sizeof(*s->origins), by_die);
	for (size_t i = 0; i < n && s->n_origins; i++)
		if (unit[i].has || refers_abroad(&unit[i].die))
			find_copies(s, &unit[i].die, 0);
	free(unit);
}

/* In the child. */
static bool search_child(void *arg, int fd)
{
	struct search *s = arg;
	Dwarf *dwarf;
	Elf *elf;

	elf_version(EV_CURRENT);
	s->fns = calloc(MOST + 1, sizeof(*s->fns));
	s->origins = calloc(ORIGINS_MAX, sizeof(*s->origins));
	elf = elf_memory(s->image, s->size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!s->fns || !s->origins || !dwarf)
		return false;
	go_through(s, dwarf);
	return sandbox_write(fd, s->fns, s->n_fns * sizeof(*s->fns));
}

/* What came out of the pipe: only what is text, of a name that was asked for. */
static int results_take(struct wl_inlines *out, uint8_t *bytes, size_t n, const char *name)
{
	struct inlined_fn *fns = (struct inlined_fn *)bytes;

	out->texts = bytes;
	out->v = calloc(n + 1, sizeof(*out->v));
	if (!out->v)
		return ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct wl_symbol s = {.name = fns[i].name, .readable = *fns[i].readable ? fns[i].readable : NULL};

		if (fns[i].copies && memchr(fns[i].name, 0, TEXT_MAX) && memchr(fns[i].readable, 0, TEXT_MAX) &&
			symbol_matches(&s, name))
			out->v[out->n++] = (struct wl_inlined){s, fns[i].copies};
	}
	return 0;
}

static int search_file(const struct wl_elf *elf, const char *name, struct wl_inlines *out)
{
	struct search s = {.name = name, .size = elf->size};
	struct sandbox sandbox = {search_child, &s, CPU_TIME, MEMORY_ROOM, MOST * sizeof(struct inlined_fn)};
	uint8_t *bytes;
	long n;
	int rc;

	/* Nobody reads it but the child, whom it may cost its life if the file is truncated. */
	s.image = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, elf->fd, 0);
	if (s.image == MAP_FAILED)
		return 0;
	n = sandbox_run(&sandbox, &bytes);
	rc = n < 0 && errno == ENOMEM ? ENOMEM : 0;
	munmap(s.image, s.size);
	if (rc == 0 && n > 0)
		rc = results_take(out, bytes, (size_t)n / sizeof(struct inlined_fn), name);
	if (rc)
		wl_inlines_free(out);
	return rc;
}

int wl_inlines_find(const struct wl_module *m, const char *name, struct wl_inlines *out)
{
	struct wl_elf debug;
	int rc = 0;

	*out = (struct wl_inlines){0};
	if (strlen(name) >= TEXT_MAX)
		return 0;
	if (wl_elf_section_named(&m->elf, ".debug_info"))
		return search_file(&m->elf, name, out);
	if (wl_debug_file_open(m->pid, m->first->path, &m->elf, &debug)) {
		if (wl_elf_section_named(&debug, ".debug_info"))
			rc = search_file(&debug, name, out);
		close(debug.fd);
		wl_elf_close(&debug);
	}
	return rc;
}

void wl_inlines_free(struct wl_inlines *inlines)
{
	free(inlines->v);
	free(inlines->texts);
	*inlines = (struct wl_inlines){0};
}
