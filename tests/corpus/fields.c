/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A false value in every field. The fields of the note's descriptor come from the tables of spec/module.md, so a
 * field that is added there is tested here too. Those of the proof are found by the grammar of spec/proof.md, and
 * this file must know each field that the specification names. Those of ELF are elf.h's. In each good module of the
 * corpus, each field gets values at its limits and next to its own value, and the file is sealed again. The verifier
 * must refuse it, or accept it and claim no less of the code.
 *
 * For each field, at least one false value must have been refused in some module. Fields that decide nothing are
 * listed with the reason; for them no value may be refused.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"

enum { MAX_NAMES = 256, MAX_PLACES = 20000, MAX_EACH = 4, MAX_VALUES = 12 };

enum form { FIXED, UNSIGNED, SIGNED, BYTE }; /* the last three are in the proof: LEB128, or a byte */

struct name {
	char part[8], text[48]; /* "elf", "note", "proof" */
	unsigned seen, refused, accepted;
};

/* Where a module has a field. */
struct place {
	unsigned name;
	enum form form;
	size_t at;
	unsigned bytes;
};

struct layout {
	char name[32];
	unsigned offset, bytes;
};

static struct {
	struct name name[MAX_NAMES];
	unsigned n_names;
	struct place place[MAX_PLACES];
	unsigned n_places;
	struct layout desc[32], entry[16], import[16];
	unsigned n_desc, n_entry, n_import;
} f;

/* Fields that decide nothing. The relocations' sh_flags and sh_info aside: no module has any. */
static const struct {
	const char *text, *why;
} unread[] = {
	{"e_ident[EI_OSABI]", "a module asks no system for anything"},
	{"e_ident[EI_ABIVERSION]", "a module asks no system for anything"},
	{"e_entry", "entries are those of the note"},
	{"e_flags", "x86-64 defines none"},
	{"p_paddr", "nothing has a physical address"},
	{"p_align", "addresses are checked themselves"},
	{"sh_flags", "what is loaded is said by segments"},
	{"sh_addr", "what is loaded is said by segments"},
	{"sh_link", "the verifier reads no symbols"},
	{"sh_info", "the verifier reads no symbols"},
	{"sh_addralign", "sections are read as bytes"},
	{"sh_entsize", "sections are read as bytes"},
};

static bool decides(const struct name *n)
{
	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++)
		if (!strcmp(n->part, "elf") && !strcmp(n->text, unread[i].text))
			return false;
	return true;
}

static unsigned name_of(const char *part, const char *text)
{
	unsigned i = 0;
	while (i < f.n_names && (strcmp(f.name[i].part, part) != 0 || strcmp(f.name[i].text, text) != 0))
		i++;
	if (i == MAX_NAMES)
		abort();
	if (i == f.n_names) {
		snprintf(f.name[i].part, sizeof(f.name[i].part), "%s", part);
		snprintf(f.name[i].text, sizeof(f.name[i].text), "%s", text);
		f.n_names++;
	}
	return i;
}

static void add_place(const char *part, const char *text, enum form form, size_t at, unsigned bytes)
{
	unsigned name = name_of(part, text);
	f.name[name].seen++;
	if (f.n_places == MAX_PLACES)
		abort();
	f.place[f.n_places++] = (struct place){name, form, at, bytes};
}

/* ---- The specification ---- */

/* `address (8), name (4), …`: they must fill a row. */
static bool read_row(const char *text, unsigned size, struct layout *row, unsigned *n)
{
	unsigned at = 0, bytes;
	char word[32];
	for (const char *p = strchr(text, '('), *start = text; p;
		start = strchr(p, ','), p = start ? strchr(start, '(') : NULL) {
		start += strspn(start, ", ");
		if (sscanf(start, "%31[a-z_]", word) != 1 || sscanf(p, "(%u)", &bytes) != 1 || *n == 16)
			return false;
		struct layout *l = &row[(*n)++];
		memcpy(l->name, word, sizeof(word));
		l->offset = at;
		at += l->bytes = bytes;
	}
	return at == size;
}

static bool read_descriptor(const char *spec)
{
	char *copy = strdup(spec), *save = NULL;
	bool ok = copy != NULL;
	unsigned end = 0, offset, size;
	char name[32], meaning[400];
	for (char *line = ok ? strtok_r(copy, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		if (f.n_import && !strncmp(line, "## ", 3)) /* what follows are other sections' tables */
			break;
		if (sscanf(line, "| %u | %u | %31[a-z_] |", &offset, &size, name) == 3 && f.n_desc < 32) {
			ok &= offset == end;
			end += size;
			struct layout *l = &f.desc[f.n_desc++];
			memcpy(l->name, name, sizeof(name));
			l->offset = offset;
			l->bytes = size;
		} else if (strstr(line, " each |") &&
			   sscanf(strstr(line, " each |") - 2, "%u each | %31[a-z_] | %399[^|]", &size, name,
				   meaning) == 3) {
			ok &= !strcmp(name, "entries")   ? read_row(meaning, size, f.entry, &f.n_entry)
			      : !strcmp(name, "imports") ? read_row(meaning, size, f.import, &f.n_import)
							 : false;
		}
	}
	free(copy);
	return ok && end == 32 && f.n_entry && f.n_import;
}

/* Each `name:u8`, `name:u`, `name:s` of the proof's specification is the last word of a name that was walked over. */
static bool proof_is_known(const char *spec)
{
	bool ok = true;
	unsigned words = 0;
	for (const char *p = spec; (p = strchr(p, ':')) != NULL; p++) {
		const char *start = p;
		char word[48];
		while (start > spec &&
			((start[-1] >= 'a' && start[-1] <= 'z') || (start[-1] >= '0' && start[-1] <= '9')))
			start--;
		size_t type = strspn(p + 1, "us8");
		if (start == p || !((type == 1 && (p[1] == 'u' || p[1] == 's')) || (type == 2 && p[1] == 'u')) ||
			(p[1 + type] >= 'a' && p[1 + type] <= 'z'))
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)(p + 1 + type - start), start);
		unsigned i = 0;
		for (; i < f.n_names; i++) {
			const char *space = strrchr(f.name[i].text, ' ');
			if (!strcmp(f.name[i].part, "proof") && !strcmp(space ? space + 1 : f.name[i].text, word))
				break;
		}
		words++;
		if (i == f.n_names) {
			fprintf(stderr,
				"fields: the proof's specification has %s, of which nothing is known here, or no good "
				"module has it\n",
				word);
			ok = false;
		}
	}
	return ok && words;
}

/* ---- Where the fields are ---- */

static void add_elf(const struct ward_buf *file)
{
#define FIELD(type, base, field) \
	add_place("elf", #field, FIXED, (base) + offsetof(type, field), sizeof(((type *)0)->field))
	static const struct layout ident[] = {{"e_ident[EI_MAG]", 0, 4}, {"e_ident[EI_CLASS]", EI_CLASS, 1},
		{"e_ident[EI_DATA]", EI_DATA, 1}, {"e_ident[EI_VERSION]", EI_VERSION, 1},
		{"e_ident[EI_OSABI]", EI_OSABI, 1}, {"e_ident[EI_ABIVERSION]", EI_ABIVERSION, 1}};
	for (size_t i = 0; i < sizeof(ident) / sizeof(ident[0]); i++)
		add_place("elf", ident[i].name, FIXED, ident[i].offset, ident[i].bytes);
	FIELD(Elf64_Ehdr, 0, e_type), FIELD(Elf64_Ehdr, 0, e_machine), FIELD(Elf64_Ehdr, 0, e_version),
		FIELD(Elf64_Ehdr, 0, e_entry);
	FIELD(Elf64_Ehdr, 0, e_phoff), FIELD(Elf64_Ehdr, 0, e_shoff), FIELD(Elf64_Ehdr, 0, e_flags),
		FIELD(Elf64_Ehdr, 0, e_ehsize);
	FIELD(Elf64_Ehdr, 0, e_phentsize), FIELD(Elf64_Ehdr, 0, e_phnum), FIELD(Elf64_Ehdr, 0, e_shentsize),
		FIELD(Elf64_Ehdr, 0, e_shnum);
	FIELD(Elf64_Ehdr, 0, e_shstrndx);
	Elf64_Ehdr h;
	memcpy(&h, file->data, sizeof(h));
	for (unsigned i = 0; i < h.e_phnum; i++) {
		size_t at = h.e_phoff + i * sizeof(Elf64_Phdr);
		FIELD(Elf64_Phdr, at, p_type), FIELD(Elf64_Phdr, at, p_flags), FIELD(Elf64_Phdr, at, p_offset),
			FIELD(Elf64_Phdr, at, p_vaddr);
		FIELD(Elf64_Phdr, at, p_paddr), FIELD(Elf64_Phdr, at, p_filesz), FIELD(Elf64_Phdr, at, p_memsz),
			FIELD(Elf64_Phdr, at, p_align);
	}
	for (unsigned i = 1; i < h.e_shnum; i++) {
		size_t at = h.e_shoff + i * sizeof(Elf64_Shdr);
		FIELD(Elf64_Shdr, at, sh_name), FIELD(Elf64_Shdr, at, sh_type), FIELD(Elf64_Shdr, at, sh_flags),
			FIELD(Elf64_Shdr, at, sh_addr);
		FIELD(Elf64_Shdr, at, sh_offset), FIELD(Elf64_Shdr, at, sh_size), FIELD(Elf64_Shdr, at, sh_link),
			FIELD(Elf64_Shdr, at, sh_info);
		FIELD(Elf64_Shdr, at, sh_addralign), FIELD(Elf64_Shdr, at, sh_entsize);
	}
#undef FIELD
}

static void add_rows(const char *what, const struct layout *row, unsigned n, size_t at)
{
	char text[48];
	for (unsigned i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%.12s %.31s", what, row[i].name);
		add_place("note", text, FIXED, at + row[i].offset, row[i].bytes);
	}
}

static void add_note(const struct ward_buf *file)
{
	static const struct layout header[] = {{"namesz", 0, 4}, {"descsz", 4, 4}, {"type", 8, 4}, {"name", 12, 8}};
	size_t note = part_section(file, ".ward.note").offset, desc = part_note(file).offset;
	uint64_t entries = get_le(file, desc + 16, 4), imports = get_le(file, desc + 20, 4);
	add_rows("header", header, sizeof(header) / sizeof(header[0]), note);
	add_rows("desc", f.desc, f.n_desc, desc);
	for (uint64_t i = 0; i < entries; i++)
		add_rows("entry", f.entry, f.n_entry, desc + 32 + 24 * i);
	for (uint64_t i = 0; i < imports; i++)
		add_rows("import", f.import, f.n_import, desc + 32 + 24 * entries + 8 * i);
}

struct walk {
	const struct ward_buf *file;
	size_t at, end;
};

/* The field at hand, and its value (of one with a sign: nobody asks). */
static uint64_t take(struct walk *w, const char *text, enum form form)
{
	uint64_t value = 0;
	size_t at = w->at;
	for (unsigned shift = 0; w->at < w->end && shift < 64; shift += 7) {
		uint8_t byte = w->file->data[w->at++];
		value |= form == BYTE ? byte : (uint64_t)(byte & 0x7f) << shift;
		if (form == BYTE || !(byte & 0x80))
			break;
	}
	add_place("proof", text, form, at, (unsigned)(w->at - at));
	return value;
}

static void walk_loc(struct walk *w, const char *text)
{
	if (take(w, text, BYTE) == 16)
		take(w, "slot:u", UNSIGNED);
}

static void walk_facts(struct walk *w)
{
	uint64_t which = take(w, "which:u", UNSIGNED);
	if (which & 1)
		take(w, "interval64u lo:u", UNSIGNED), take(w, "interval64u hi:u", UNSIGNED);
	if (which & 2)
		take(w, "interval64s lo:s", SIGNED), take(w, "interval64s hi:s", SIGNED);
	if (which & 4)
		take(w, "interval32u lo:u", UNSIGNED), take(w, "interval32u hi:u", UNSIGNED);
	if (which & 8)
		take(w, "interval32s lo:s", SIGNED), take(w, "interval32s hi:s", SIGNED);
	if (which & 16)
		take(w, "bits known:u", UNSIGNED), take(w, "bits value:u", UNSIGNED);
	if (which & 32)
		take(w, "width:u8", BYTE);
	if (which & 64)
		take(w, "identity group:u", UNSIGNED), take(w, "identity add:s", SIGNED);
	if (which & 128)
		take(w, "ghost ghost:u", UNSIGNED), take(w, "ghost add:s", SIGNED);
	if (which & 256)
		take(w, "remainder mod:u", UNSIGNED), take(w, "remainder rem:u", UNSIGNED);
	if (which & 512)
		take(w, "lead cursor:u8", BYTE), take(w, "lead ahead:u", UNSIGNED);
}

static void walk_claims(struct walk *w, uint64_t n)
{
	while (n-- && w->at < w->end) {
		walk_loc(w, "claim loc");
		switch (take(w, "kind:u8", BYTE)) {
		case 1: take(w, "reg:u8", BYTE); break;
		case 2: walk_facts(w); break;
		case 3: take(w, "region:u8", BYTE), walk_facts(w); break;
		case 4: take(w, "mask:u8", BYTE); break;
		default: break;
		}
	}
}

static void walk_loop(struct walk *w)
{
	take(w, "head:u", UNSIGNED), take(w, "end:u", UNSIGNED), take(w, "view:u8", BYTE);
	walk_loc(w, "rank loc");
	take(w, "step:s", SIGNED);
	for (uint64_t n = take(w, "ncounted:u", UNSIGNED); n && w->at < w->end; n--) {
		walk_loc(w, "counted loc");
		take(w, "stride:s", SIGNED);
	}
}

static void walk_cursor(struct walk *w)
{
	take(w, "cursor owner:u", UNSIGNED);
	for (uint64_t n = take(w, "nsharers:u", UNSIGNED); n && w->at < w->end; n--)
		take(w, "sharer loop:u", UNSIGNED), take(w, "sharer alone:u8", BYTE);
}

static void walk_block(struct walk *w)
{
	take(w, "block addr:u", UNSIGNED);
	if (take(w, "frame:u", UNSIGNED) & 1)
		take(w, "xmm:u", UNSIGNED);
	walk_claims(w, take(w, "nclaims:u", UNSIGNED));
	for (uint64_t n = take(w, "ndistances:u", UNSIGNED); n && w->at < w->end; n--) {
		walk_loc(w, "distance from loc"), walk_loc(w, "distance to loc");
		take(w, "mixed:u8", BYTE), take(w, "scale:s", SIGNED);
		walk_facts(w);
	}
}

/* False: the proof isn't as the grammar says. */
static bool add_proof(const struct ward_buf *file)
{
	struct part p = part_section(file, ".ward.proof");
	struct walk w = {file, p.offset, p.offset + p.size};
	add_place("proof", "magic", FIXED, w.at, 4);
	w.at += 4;
	uint64_t version = take(&w, "version:u8", BYTE);
	w.at += 8; /* the seal: sealed again, it is no lie; broken.c has those */
	for (uint64_t n = take(&w, "nfunctions:u", UNSIGNED); n && w.at < w.end; n--) {
		take(&w, "entry:u", UNSIGNED), take(&w, "keeps:u", UNSIGNED);
		for (uint64_t k = take(&w, "nwindows:u", UNSIGNED); k && w.at < w.end; k--)
			take(&w, "window size:u", UNSIGNED), take(&w, "window rights:u8", BYTE);
		walk_claims(&w, take(&w, "nresults:u", UNSIGNED));
		for (uint64_t k = take(&w, "nloops:u", UNSIGNED); k && w.at < w.end; k--)
			walk_loop(&w);
		for (uint64_t k = version > 1 ? take(&w, "ncursors:u", UNSIGNED) : 0; k && w.at < w.end; k--)
			walk_cursor(&w);
		for (uint64_t k = take(&w, "nblocks:u", UNSIGNED); k && w.at < w.end; k--)
			walk_block(&w);
	}
	return w.at == w.end;
}

/* ---- Lying ---- */

static uint64_t value_at(const struct ward_buf *file, const struct place *p)
{
	if (p->form == FIXED || p->form == BYTE)
		return get_le(file, p->at, p->bytes);
	uint64_t v = 0;
	unsigned shift = 0;
	for (unsigned i = 0; i < p->bytes; i++, shift += 7)
		v |= shift < 64 ? (uint64_t)(file->data[p->at + i] & 0x7f) << shift : 0;
	if (p->form == SIGNED && shift < 64 && (file->data[p->at + p->bytes - 1] & 0x40))
		v |= UINT64_MAX << shift;
	return v;
}

/* At the limits of the field, beside its own value, and the end of the file. */
static unsigned lies(const struct ward_buf *file, const struct place *p, uint64_t *values)
{
	uint64_t now = value_at(file, p), mask = p->form == FIXED && p->bytes < 8 ? (UINT64_C(1) << 8 * p->bytes) - 1
						 : p->form == BYTE                ? 0xff
										  : UINT64_MAX;
	uint64_t all[] = {0, 1, 2, now - 1, now + 1, now * 2, 0 - now, mask, mask >> 1, (mask >> 1) + 1,
		now ^ ((mask >> 1) + 1), file->size};
	unsigned n = 0;
	_Static_assert(sizeof(all) / sizeof(all[0]) == MAX_VALUES, "room for each");
	for (unsigned i = 0; i < MAX_VALUES; i++) {
		bool old = (all[i] & mask) == now;
		for (unsigned k = 0; k < n; k++)
			old |= values[k] == (all[i] & mask);
		if (!old)
			values[n++] = all[i] & mask;
	}
	return n;
}

static struct ward_buf lie(const struct ward_buf *good, const struct place *p, uint64_t value)
{
	struct ward_buf file = buf_copy(good), proof = {0};
	if (p->form == FIXED || p->form == BYTE) {
		put_le(&file, p->at, p->bytes, value);
	} else {
		struct part was = part_section(good, ".ward.proof");
		uint8_t byte;
		bool last;
		buf_append(&proof, good->data + was.offset, p->at - was.offset);
		do {
			byte = value & 0x7f;
			value = p->form == SIGNED ? (uint64_t)((int64_t)value >> 7) : value >> 7;
			last = p->form == SIGNED ? value == (byte & 0x40 ? UINT64_MAX : 0) : value == 0;
			byte |= last ? 0 : 0x80;
			buf_append(&proof, &byte, 1);
		} while (!last);
		buf_append(&proof, good->data + p->at + p->bytes, was.offset + was.size - p->at - p->bytes);
		set_proof(&file, proof.data, proof.size);
		free(proof.data);
	}
	/* what the seal is of can't be found by headers that lie; they are not under it */
	if (strcmp(f.name[p->name].part, "elf") != 0)
		reseal(&file);
	return file;
}

/*
 * What is said of the code is never less than what the good module says: a claim that is wider than it need be may let
 * an access touch one more field of the event, but no claim makes one disappear. The note decides which code is an
 * entry, and what it is called. (What a changed bound on instructions is worth is shown by running mutants.)
 */
static bool says_no_less(const struct ward_verdict *good, const struct ward_verdict *v)
{
	for (size_t i = 0; i < good->module.n_entries; i++) {
		for (size_t k = 0; k < v->module.n_entries; k++) {
			const struct ward_entry_facts *x = &good->module.entries[i], *y = &v->module.entries[k];
			if (x->addr == y->addr &&
				(x->stack_bytes > y->stack_bytes || (x->clobbers & ~y->clobbers) ||
					(x->event_fields & ~y->event_fields) || (x->writes_state && !y->writes_state) ||
					(x->needs & ~y->needs)))
				return false;
		}
	}
	return true;
}

static bool try_place(const struct corpus_case *c, const struct ward_verdict *good, const struct place *p)
{
	struct name *name = &f.name[p->name];
	uint64_t values[MAX_VALUES];
	unsigned n = lies(&c->module, p, values);
	bool ok = true;
	for (unsigned i = 0; i < n; i++) {
		struct ward_buf file = lie(&c->module, p, values[i]);
		struct ward_verdict *v = case_verify(c, &file);
		bool right = v && (!v->accepted ? v->n_violations > 0 : says_no_less(good, v));
		name->refused += v && !v->accepted;
		name->accepted += v && v->accepted;
		if (!right)
			fprintf(stderr, "fields: %s: %s %s = 0x%llx: %s\n", c->name, name->part, name->text,
				(unsigned long long)values[i],
				v ? "accepted, and less is said of the code" : "no verdict");
		ok &= right;
		ward_verdict_free(v);
		free(file.data);
	}
	return ok;
}

/* Of each field the first few places, and the last. */
static bool try_module(const struct corpus_case *c)
{
	unsigned tried[MAX_NAMES] = {0}, last[MAX_NAMES];
	struct ward_verdict *good = case_verify(c, &c->module);
	bool ok = good && good->accepted;
	f.n_places = 0;
	add_elf(&c->module);
	add_note(&c->module);
	if (ok && !add_proof(&c->module)) {
		fprintf(stderr, "fields: %s: the proof is not as the grammar says\n", c->name);
		ok = false;
	}
	for (unsigned i = 0; i < f.n_places; i++)
		last[f.place[i].name] = i;
	for (unsigned i = 0; i < f.n_places && good && good->accepted; i++) {
		unsigned name = f.place[i].name;
		if (tried[name]++ < MAX_EACH || last[name] == i)
			ok &= try_place(c, good, &f.place[i]);
	}
	ward_verdict_free(good);
	return ok;
}

static int is_assembly(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 2 && !strcmp(d->d_name + n - 2, ".s");
}

static bool try_folder(const char *folder)
{
	char dir[] = "/tmp/ward-fields-XXXXXX", path[4096];
	struct dirent **list;
	int n = scandir(folder, &list, is_assembly, alphasort);
	bool ok = n > 0 && mkdtemp(dir);
	for (int i = 0; i < n; i++) {
		struct corpus_case c;
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		ok &= case_read(path, false, &c) && case_build(path, dir, &c) && try_module(&c);
		case_free(&c);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	rmdir(dir);
	return ok;
}

static bool report(bool verbose)
{
	static const char *const parts[] = {"elf", "note", "proof"};
	bool ok = true;
	for (size_t k = 0; k < 3; k++) {
		unsigned fields = 0, deciding = 0, caught = 0, refused = 0, accepted = 0;
		for (unsigned i = 0; i < f.n_names; i++) {
			const struct name *n = &f.name[i];
			if (strcmp(n->part, parts[k]) != 0)
				continue;
			bool d = decides(n), right = d ? n->refused > 0 : n->refused == 0 && n->accepted > 0;
			if (!right || verbose)
				fprintf(stderr, "fields: %s %s: in %u places, %u lies refused, %u accepted%s\n",
					n->part, n->text, n->seen, n->refused, n->accepted,
					right ? ""
					: d   ? ": a lie must be refused"
					      : ": it decides nothing, so none may be refused");
			ok &= right;
			fields++;
			deciding += d;
			caught += d && right;
			refused += n->refused;
			accepted += n->accepted;
		}
		printf("corpus: %s: %u fields, of the %u that decide anything a lie is refused in %u: %u lies refused, "
		       "%u accepted that say no less of the code\n",
			parts[k], fields, deciding, caught, refused, accepted);
	}
	return ok;
}

static char *read_text(const char *folder, const char *file)
{
	char path[4096];
	struct ward_buf b = {0};
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (!read_whole(path, &b)) {
		fprintf(stderr, "fields: %s: unreadable\n", path);
		return NULL;
	}
	buf_append(&b, "", 1);
	return (char *)b.data;
}

int main(int argc, char **argv)
{
	bool verbose = argc == 4 && !strcmp(argv[1], "-v");
	if (argc != 3 + verbose) {
		fprintf(stderr, "usage: ward-corpus-fields [-v] GOOD-FOLDER SPECIFICATION-FOLDER\n");
		return 2;
	}
	char *module = read_text(argv[argc - 1], "module.md"), *proof = read_text(argv[argc - 1], "proof.md");
	bool ok = module && proof && read_descriptor(module);
	if (!ok)
		fprintf(stderr, "fields: the tables of module.md can't be read, or don't add up\n");
	ok = ok && try_folder(argv[argc - 2]);
	ok = (!f.n_names || proof_is_known(proof)) && ok;
	ok = report(verbose) && ok;
	free(module);
	free(proof);
	return !ok;
}
