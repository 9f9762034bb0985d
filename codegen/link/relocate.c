/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relocations (System V ABI, AMD64 supplement, 4.4). In what is loaded only distances can be settled: S + A - P. An
 * absolute address is refused, since the loader applies no relocation. Loads from the global offset table become lea:
 * there is no table, every symbol is in reach. In debug sections addresses are those of the module.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "ward/verify.h"

struct site {
	struct cg_image *im;
	const struct cg_section *section;
	const struct cg_reloc *reloc;
	const struct cg_symbol *symbol;
	uint8_t *section_bytes;
};

/* The function or variable that holds an offset of a section, for messages. */
static const char *site_holder(const struct site *site)
{
	const struct cg_object *o = site->im->object;
	const struct cg_symbol *best = NULL;
	size_t i;

	for (i = 1; i < o->n_symbols; i++) {
		const struct cg_symbol *s = &o->symbols[i];

		if (&o->sections[s->section] != site->section || !*s->name || s->type == STT_SECTION ||
			s->value > site->reloc->offset)
			continue;
		if (!best || s->value > best->value)
			best = s;
	}
	return best ? best->name : site->section->name;
}

static const char *target_name(const struct site *site)
{
	const struct cg_object *o = site->im->object;

	if (*site->symbol->name)
		return site->symbol->name;
	return site->symbol->section ? o->sections[site->symbol->section].name : "an address";
}

bool cg_is_absolute(uint32_t type)
{
	return type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S || type == R_X86_64_16 ||
	       type == R_X86_64_8;
}

static int refuse_absolute(const struct site *site)
{
	if (site->section->flags & SHF_EXECINSTR)
		return cg_error(site->im->report, "compile with -fPIC", "'%s' uses the absolute address of '%s'",
			site_holder(site), target_name(site));
	return cg_error(site->im->report,
		"a module is never relocated: keep an index or an offset instead of a pointer",
		"the initialiser of '%s' holds the address of '%s'", site_holder(site), target_name(site));
}

static bool has_room(const struct site *site, size_t n)
{
	return site->section->size >= n && site->reloc->offset <= site->section->size - n;
}

static int site_put(const struct site *site, uint64_t value, size_t n)
{
	if (!has_room(site, n))
		return cg_error(
			site->im->report, NULL, "a relocation in section '%s' lies outside it", site->section->name);
	memcpy(site->section_bytes + site->reloc->offset, &value, n);
	return 0;
}

/* S + A - P, all of them below 2^30 if the object is sane. */
static int put_distance(const struct site *site, uint64_t target)
{
	uint64_t place = site->section->addr + site->reloc->offset;
	int64_t distance = (int64_t)(target + (uint64_t)site->reloc->addend - place);

	if (distance != (int32_t)distance)
		return cg_error(site->im->report, NULL, "a reference from '%s' to '%s' is too far", site_holder(site),
			target_name(site));
	return site_put(site, (uint64_t)distance, 4);
}

/*
 * mov sym@GOTPCREL(%rip), %reg becomes lea sym(%rip), %reg; call *sym@GOTPCREL(%rip) becomes call sym; nop; and so for
 * jmp. The bytes before the displacement are the opcode and ModRM.
 */
static int relax_got(const struct site *site, uint64_t target)
{
	uint8_t *p = site->section_bytes + site->reloc->offset;
	uint64_t place = site->section->addr + site->reloc->offset;
	bool call;
	int32_t distance;

	if (!has_room(site, 4) || site->reloc->offset < 2 || site->reloc->addend != -4)
		goto refuse;
	if (p[-2] == 0x8b && (p[-1] & 0xc7) == 0x05) {
		p[-2] = 0x8d;
		return put_distance(site, target);
	}
	call = p[-1] == 0x15;
	if (p[-2] != 0xff || (!call && p[-1] != 0x25))
		goto refuse;
	distance = (int32_t)(target - (place - 1 + 4)); /* both below 2^30 */
	p[-2] = call ? 0xe8 : 0xe9;
	memcpy(p - 1, &distance, 4);
	p[3] = 0x90;
	return 0;
refuse:
	return cg_error(site->im->report, "compile with -fPIC -fvisibility=hidden",
		"'%s' reads the address of '%s' from a table that does not exist", site_holder(site),
		target_name(site));
}

#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) " " name
static const char imports_hint[] =
	"a probe can only use what is in its own file and the dialect's headers, and the imports"
#include "ward/import.def"
	;
#undef IMPORT

static int refuse_undefined(const struct site *site)
{
	bool panics = strstr(site->symbol->name, "4core9panicking") != NULL;

	return cg_error(site->im->report,
		panics ? "a check that rustc put in may fail here: bound the index, or the number, right before, `if i "
			 "< N` or `i & (N - 1)`, or use get() or wrapping_add()"
		       : imports_hint,
		"unknown external '%s', used in '%s'", site->symbol->name, site_holder(site));
}

int cg_refuse(struct cg_image *im, const struct cg_section *section, const struct cg_reloc *reloc)
{
	struct site site = {
		.im = im, .section = section, .reloc = reloc, .symbol = &im->object->symbols[reloc->symbol]};

	return cg_is_absolute(reloc->type) ? refuse_absolute(&site) : refuse_undefined(&site);
}

/* ---- what is left open ---- */

static int put_trap(const struct site *site, uint8_t *opcode, size_t n)
{
	opcode[0] = 0x0f; /* ud2, where control then ends; the rest is padding */
	opcode[1] = 0x0b;
	memset(opcode + 2, 0xcc, n - 2);
	return cg_leave_open(
		site->im, site->section->addr + (uint64_t)(opcode - site->section_bytes), site->section, site->reloc);
}

/* A call of something undefined, or its address in a register. */
static int leave_undefined(const struct site *site)
{
	uint8_t *p = site->section_bytes + site->reloc->offset;
	bool got = site->reloc->type == R_X86_64_GOTPCREL || site->reloc->type == R_X86_64_GOTPCRELX ||
		   site->reloc->type == R_X86_64_REX_GOTPCRELX;
	bool relative = site->reloc->type == R_X86_64_PC32 || site->reloc->type == R_X86_64_PLT32;

	if (!site->im->may_leave_open || !(site->section->flags & SHF_EXECINSTR) || !has_room(site, 4) ||
		site->reloc->offset < 2)
		return refuse_undefined(site);
	if (got && p[-2] == 0xff && (p[-1] == 0x15 || p[-1] == 0x25))
		return put_trap(site, p - 2, 6);
	if (relative && (p[-1] == 0xe8 || p[-1] == 0xe9))
		return put_trap(site, p - 1, 5);
	if ((p[-1] & 0xc7) != 0x05 || p[-2] != (got ? 0x8b : 0x8d) || !(got || relative))
		return refuse_undefined(site);
	p[-2] = 0x8d; /* lea */
	memset(p, 0, 4);
	return cg_leave_open(site->im, site->section->addr + site->reloc->offset, site->section, site->reloc);
}

static int leave_absolute(const struct site *site)
{
	size_t n = site->reloc->type == R_X86_64_64   ? 8
		   : site->reloc->type == R_X86_64_16 ? 2
		   : site->reloc->type == R_X86_64_8  ? 1
						      : 4;

	if (!site->im->may_leave_open || (site->section->flags & SHF_EXECINSTR))
		return refuse_absolute(site);
	return site_put(site, 0, n);
}

static bool is_loaded_data(const struct cg_section *s)
{
	return s->out >= 0 && s->out < CG_FIRST_DEBUG && !(s->flags & SHF_EXECINSTR);
}

/* A section that holds an address, or refers to one that is known to. */
static void look_for_hole(struct cg_object *o, struct cg_section *s)
{
	for (size_t k = 0; !s->hole && k < s->n_relocs; k++) {
		const struct cg_section *t = &o->sections[o->symbols[s->relocs[k].symbol].section];

		if (!cg_is_absolute(s->relocs[k].type) && !t->hole)
			continue;
		s->hole = t->hole ? t->hole : &s->relocs[k];
		s->hole_in = t->hole ? t->hole_in : s;
	}
}

/* Sections by what they refer to: those that refer to section t are who[first[t]] up to who[first[t + 1]]. */
struct referring {
	uint32_t *first, *who, *todo;
};

static void list_referring(struct cg_object *o, struct referring *r, bool count)
{
	for (size_t i = 1; i < o->n_sections; i++) {
		const struct cg_section *s = &o->sections[i];

		for (size_t k = 0; is_loaded_data(s) && k < s->n_relocs; k++) {
			uint32_t t = o->symbols[s->relocs[k].symbol].section;

			if (count)
				r->first[t + 2]++;
			else
				r->who[r->first[t + 1]++] = (uint32_t)i;
		}
	}
	for (size_t t = 0; count && t < o->n_sections; t++)
		r->first[t + 2] += r->first[t + 1];
}

/* Each section with a hole makes one of all that refer to it. */
static void spread_holes(struct cg_object *o, struct referring *r)
{
	size_t n = 0;

	for (size_t i = 1; i < o->n_sections; i++)
		if (o->sections[i].hole)
			r->todo[n++] = (uint32_t)i;
	while (n) {
		uint32_t t = r->todo[--n];

		for (uint32_t i = r->first[t]; i < r->first[t + 1]; i++) {
			struct cg_section *s = &o->sections[r->who[i]];

			if (s->hole)
				continue;
			s->hole = o->sections[t].hole;
			s->hole_in = o->sections[t].hole_in;
			r->todo[n++] = r->who[i];
		}
	}
}

/* What holds an address, or refers to what does, is of no use: code that refers to it must never be reached. */
static int find_holes(struct cg_image *im)
{
	struct cg_object *o = im->object;
	struct referring r = {
		.first = calloc(o->n_sections + 2, sizeof(*r.first)), .todo = calloc(o->n_sections, sizeof(*r.todo))};
	size_t n = 0, i;

	for (i = 1; i < o->n_sections; i++)
		if (is_loaded_data(&o->sections[i])) {
			look_for_hole(o, &o->sections[i]);
			n += o->sections[i].n_relocs;
		}
	r.who = calloc(n + 1, sizeof(*r.who));
	bool ok = r.first && r.todo && r.who;
	if (ok) {
		list_referring(o, &r, true);
		list_referring(o, &r, false);
		spread_holes(o, &r);
	}
	free(r.first);
	free(r.todo);
	free(r.who);
	return ok ? 0 : cg_error(im->report, NULL, "out of memory");
}

/*
 * Imports are called, or jumped to, through their slots; direct calls and jumps lead to a stub, which jumps through the
 * slot.
 */
static int call_import(const struct site *site, const struct cg_import *import)
{
	const uint8_t *p = site->section_bytes + site->reloc->offset;

	switch (site->reloc->type) {
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
		if (has_room(site, 4) && site->reloc->offset >= 2 && site->reloc->addend == -4 && p[-2] == 0xff &&
			(p[-1] == 0x15 || p[-1] == 0x25))
			return put_distance(site, import->slot);
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		if (has_room(site, 4) && site->reloc->offset >= 2 &&
			(p[-1] == 0xe8 || p[-1] == 0xe9 || (p[-2] == 0x0f && (p[-1] & 0xf0) == 0x80)))
			return put_distance(site, import->stub);
		break;
	default: break;
	}
	return cg_error(site->im->report,
		"call it by its name, and compile without -fno-plt, so that compilers make direct calls of it",
		"'%s' takes the address of import '%s'", site_holder(site), site->symbol->name);
}

/*
 * What compilers leave in place of a return for a kernel to replace (-mfunction-return=thunk-extern): a jump to a
 * thunk. It becomes a return, and int3 that keep the room for a kernel that wants the jump after all.
 */
static bool is_return_thunk(const struct site *site)
{
	const uint8_t *p = site->section_bytes + site->reloc->offset;

	return strcmp(site->symbol->name, "__x86_return_thunk") == 0 && !site->symbol->section &&
	       (site->section->flags & SHF_EXECINSTR) && has_room(site, 4) && site->reloc->offset >= 1 &&
	       (site->reloc->type == R_X86_64_PC32 || site->reloc->type == R_X86_64_PLT32) && p[-1] == 0xe9;
}

static int put_return(const struct site *site)
{
	uint8_t *p = site->section_bytes + site->reloc->offset;

	p[-1] = 0xc3;
	memset(p, 0xcc, 4);
	return 0;
}

static int apply_loaded(const struct site *site)
{
	const struct cg_object *o = site->im->object;
	const struct cg_symbol *sym = site->symbol;
	uint64_t target = o->sections[sym->section].addr + sym->value;

	if (site->reloc->type == R_X86_64_NONE)
		return 0;
	if (sym->type == STT_GNU_IFUNC)
		return cg_error(site->im->report, NULL, "'%s' is chosen at load time (ifunc)", sym->name);
	if (cg_is_absolute(site->reloc->type))
		return leave_absolute(site);
	if (sym->absolute)
		return refuse_absolute(site);
	if (cg_import_of(site->im, sym))
		return call_import(site, cg_import_of(site->im, sym));
	if (is_return_thunk(site))
		return put_return(site);
	if (!sym->section)
		return leave_undefined(site);
	if (o->sections[sym->section].out < 0)
		return cg_error(site->im->report, NULL, "'%s' refers to section '%s', which is not loaded",
			site_holder(site), o->sections[sym->section].name);
	if (o->sections[sym->section].hole && (site->section->flags & SHF_EXECINSTR) &&
		cg_leave_open(site->im, site->section->addr + site->reloc->offset, o->sections[sym->section].hole_in,
			o->sections[sym->section].hole))
		return 1;
	switch (site->reloc->type) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32: return put_distance(site, target);
	case R_X86_64_PC64:
		return site_put(
			site, target + (uint64_t)site->reloc->addend - (site->section->addr + site->reloc->offset), 8);
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX: return relax_got(site, target);
	default:
		return cg_error(site->im->report, "compile with -fPIC -mcmodel=small",
			"'%s' refers to '%s' by relocation type %u, which is not supported", site_holder(site),
			target_name(site), site->reloc->type);
	}
}

/*
 * What debug sections say of things that are not in the module. In lists of ranges two zeros would be the end of the
 * list.
 */
static uint64_t site_tombstone(const struct site *site)
{
	return strcmp(site->section->name, ".debug_ranges") == 0 || strcmp(site->section->name, ".debug_loc") == 0;
}

static int apply_debug(const struct site *site)
{
	const struct cg_object *o = site->im->object;
	const struct cg_symbol *sym = site->symbol;
	const struct cg_section *t = &o->sections[sym->section];
	uint64_t value = sym->value + (uint64_t)site->reloc->addend;

	if (sym->section && t->out < 0)
		value = site_tombstone(site);
	else if (sym->section)
		value += t->addr;
	else if (!sym->absolute)
		value = site_tombstone(site);
	switch (site->reloc->type) {
	case R_X86_64_NONE: return 0;
	case R_X86_64_64: return site_put(site, value, 8);
	case R_X86_64_32:
	case R_X86_64_32S: return site_put(site, value, 4);
	case R_X86_64_PC32: return site_put(site, value - (site->section->at + site->reloc->offset), 4);
	case R_X86_64_PC64: return site_put(site, value - (site->section->at + site->reloc->offset), 8);
	case R_X86_64_DTPOFF32: return site_put(site, 0, 4);
	case R_X86_64_DTPOFF64: return site_put(site, 0, 8);
	default:
		return cg_error(site->im->report, NULL,
			"debug section '%s' has relocation type %u, which is not supported", site->section->name,
			site->reloc->type);
	}
}

static int section_relocate(struct cg_image *im, struct cg_section *s)
{
	struct cg_object *o = im->object;
	struct site site = {.im = im, .section = s};
	int bad = 0;
	size_t i;

	if (!s->n_relocs)
		return 0;
	if (!s->data)
		return cg_error(im->report, NULL, "section '%s' has relocations but no bytes", s->name);
	site.section_bytes = im->out[s->out].bytes.p + s->at;
	for (i = 0; i < s->n_relocs && !cg_said_enough(im->report); i++) {
		site.reloc = &s->relocs[i];
		site.symbol = &o->symbols[s->relocs[i].symbol];
		bad |= s->out < CG_FIRST_DEBUG ? apply_loaded(&site) : apply_debug(&site);
	}
	return bad;
}

/* jmp *slot(%rip) */
static void write_stubs(struct cg_image *im)
{
	const struct cg_out *text = &im->out[CG_TEXT];
	size_t i;

	for (i = 0; i < im->n_imports; i++) {
		const struct cg_import *import = &im->imports[i];
		int32_t distance = (int32_t)(import->slot - (import->stub + CG_STUB_SIZE)); /* both below 2^30 */
		uint8_t *p = text->bytes.p + (import->stub - text->addr);

		if (!import->called)
			continue;
		p[0] = 0xff;
		p[1] = 0x25;
		memcpy(p + 2, &distance, 4);
	}
}

int cg_relocate(struct cg_image *im)
{
	struct cg_object *o = im->object;
	int bad = 0;
	size_t i, k;

	for (k = 0; k < im->n_out; k++) {
		struct cg_out *out = &im->out[k];
		uint8_t *p;

		if (k == CG_BSS || out->size == 0)
			continue;
		p = cg_buf_zeros(&out->bytes, out->size);
		if (!p)
			return cg_error(im->report, NULL, "out of memory");
		if (k == CG_TEXT)
			memset(p, 0xcc, out->size); /* int3 between sections of code */
		for (i = 1; i < o->n_sections; i++)
			if (o->sections[i].out == (int)k && o->sections[i].size)
				memcpy(p + o->sections[i].at, o->sections[i].data, o->sections[i].size);
	}
	write_stubs(im);
	if (find_holes(im))
		return 1;
	for (i = 1; i < o->n_sections; i++)
		if (o->sections[i].out >= 0)
			bad |= section_relocate(im, &o->sections[i]);
	return bad;
}
