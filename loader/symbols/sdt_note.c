/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static tracepoints.
 *
 * The assembly that sys/sdt.h leaves at a tracepoint is a nop and a note in a section that isn't loaded. SystemTap
 * defined it, and GDB and others use it. The note has owner "stapsdt" and type 3, and contains
 *
 *	the address of the nop; the address of section .stapsdt.base when the file was linked; the address of a
 *	  semaphore, or 0; provider, name and arguments, each a string
 *
 * If a tool has moved the file's addresses after linking, .stapsdt.base is elsewhere now, and all three addresses
 * have moved by the same distance. The arguments are the assembly's operands as the compiler chose them, in AT&T
 * notation. Each is preceded by its size in bytes, which is negative if the argument is signed:
 *
 *	-4@%edi   8@$17   4@-20(%rbp)   8@(%rax,%rcx,8)   -4@NBuffers(%rip)   8@16+table(%rip)
 *
 * None of that is trusted. All sizes are checked against the section, and strings must end inside their note. An
 * operand that isn't understood to its last character is unknown, and so is a place relative to a segment (%fs:…).
 * The reader of an operand checks where it leads (stub.c).
 */
#include "sdt_note.h"

#include "loader/base/asm.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { STAPSDT_TYPE = 3, NOTES_MAX = 1 << 16, SECTIONS_MAX = 64, ADDRESSES = 3 * 8 };

/* ---- arguments ---- */

struct text {
	const char *p, *end;
};

static bool text_take(struct text *t, char c)
{
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

/* Decimal or 0x…, perhaps negative. False, and nothing taken, if there is none or it is too large. */
static bool take_number(struct text *t, int64_t *value)
{
	const char *p = t->p;
	bool negative = p < t->end && *p == '-';
	uint64_t v = 0, base = 10;
	const char *digits;

	p += negative || (p < t->end && *p == '+');
	if (t->end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	for (digits = p; p < t->end; p++) {
		unsigned c = (unsigned char)*p, d;

		if (c >= '0' && c <= '9')
			d = c - '0';
		else if (base == 16 && (c | 32) >= 'a' && (c | 32) <= 'f')
			d = (c | 32) - 'a' + 10;
		else
			break;
		if (v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	if (p == digits || (negative && v > (uint64_t)INT64_MAX + 1))
		return false;
	t->p = p;
	*value = (int64_t)(negative ? 0 - v : v);
	return true;
}

static const struct {
	char name[6];
	uint8_t reg, width;
	bool high;
} registers[] = {
#define OLD(q, d, w, b, n) \
	{q, n, 8, false}, {d, n, 4, false}, {w, n, 2, false}, \
	{ \
		b, n, 1, false \
	}
#define NEW(q, n) \
	{q, n, 8, false}, {q "d", n, 4, false}, {q "w", n, 2, false}, {q "b", n, 1, false}, \
	{ \
		q "l", n, 1, false \
	}
	OLD("rax", "eax", "ax", "al", RAX),
	OLD("rbx", "ebx", "bx", "bl", RBX),
	OLD("rcx", "ecx", "cx", "cl", RCX),
	OLD("rdx", "edx", "dx", "dl", RDX),
	OLD("rsi", "esi", "si", "sil", RSI),
	OLD("rdi", "edi", "di", "dil", RDI),
	OLD("rbp", "ebp", "bp", "bpl", RBP),
	OLD("rsp", "esp", "sp", "spl", RSP),
	{"ah", RAX, 1, true},
	{"bh", RBX, 1, true},
	{"ch", RCX, 1, true},
	{"dh", RDX, 1, true},
	NEW("r8", R8),
	NEW("r9", R9),
	NEW("r10", R10),
	NEW("r11", R11),
	NEW("r12", R12),
	NEW("r13", R13),
	NEW("r14", R14),
	NEW("r15", R15),
#undef OLD
#undef NEW
};

/* %reg, whose row it is; -1 if there is none. */
static int take_register(struct text *t)
{
	const char *start = t->p;
	size_t n;

	if (!text_take(t, '%'))
		return -1;
	for (n = 0; t->p + n < t->end && ((t->p[n] >= 'a' && t->p[n] <= 'z') || (t->p[n] >= '0' && t->p[n] <= '9'));
		n++)
		;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		if (strlen(registers[i].name) == n && memcmp(registers[i].name, t->p, n) == 0) {
			t->p += n;
			return (int)i;
		}
	t->p = start;
	return -1;
}

/* A register of an address: of 64 bits. */
static bool take_address_register(struct text *t, uint8_t *reg)
{
	int r = take_register(t);

	if (r < 0 || registers[r].width != 8)
		return false;
	*reg = registers[r].reg;
	return true;
}

/* ( base , index , scale ): any of them may be missing, but not all. `rip` alone is told apart. */
static bool take_parentheses(struct text *t, struct wl_operand *o, bool *rip)
{
	int64_t scale = 1;

	*rip = false;
	if (!text_take(t, '('))
		return false;
	if (t->end - t->p >= 5 && memcmp(t->p, "%rip)", 5) == 0) {
		t->p += 5;
		return *rip = true;
	}
	if (t->p < t->end && *t->p == '%') {
		if (!take_address_register(t, &o->reg))
			return false;
		o->has_base = true;
	}
	if (text_take(t, ',')) {
		if (!take_address_register(t, &o->index) || o->index == RSP)
			return false;
		o->has_index = true;
		if (text_take(t, ',') &&
			(!take_number(t, &scale) || (scale != 1 && scale != 2 && scale != 4 && scale != 8)))
			return false;
	}
	o->shift = (uint8_t)__builtin_ctz((unsigned)scale);
	return (o->has_base || o->has_index) && text_take(t, ')');
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
	       c == '$';
}

/* Numbers and at most one name, added up: "16", "table", "16+table", "table+16", "table-8". */
static bool take_displacement(struct text *t, struct text *name, int64_t *sum)
{
	*sum = 0;
	*name = (struct text){0};
	while (t->p < t->end && *t->p != '(') {
		int64_t v;

		if (take_number(t, &v)) {
			if (__builtin_add_overflow(*sum, v, sum))
				return false;
			continue;
		}
		text_take(t, '+');
		if (name->p || t->p == t->end || !is_name(*t->p) || (*t->p >= '0' && *t->p <= '9') || *t->p == '$')
			return false;
		name->p = t->p;
		while (t->p < t->end && is_name(*t->p))
			t->p++;
		name->end = t->p;
	}
	return true;
}

static bool parse_memory(struct text *t, struct wl_operand *o, wl_variable_fn *variable, void *user)
{
	struct text name;
	uint64_t address = 0;
	bool rip = false;

	if (!take_displacement(t, &name, &o->value) || (t->p < t->end && !take_parentheses(t, o, &rip)) ||
		t->p != t->end)
		return false;
	if (name.p && (!variable || !variable(user, name.p, (size_t)(name.end - name.p), &address)))
		return false;
	if (o->has_base || o->has_index) {
		/* A name beside registers is an address of 32 bits, in a file that is loaded where it says. */
		o->kind = WL_OP_MEMORY;
		return address <= INT32_MAX && !__builtin_add_overflow(o->value, (int64_t)address, &o->value) &&
		       o->value >= INT32_MIN && o->value <= INT32_MAX;
	}
	o->kind = WL_OP_VARIABLE;
	o->value = (int64_t)((uint64_t)o->value + address);
	return name.p; /* a number alone is relative to nothing that is known */
}

/* One argument, to its last character. */
static bool parse_operand(struct text *t, struct wl_operand *o, wl_variable_fn *variable, void *user)
{
	const char *at = memchr(t->p, '@', (size_t)(t->end - t->p));
	int64_t size = 8;
	int r;

	if (at) {
		if (!take_number(t, &size) || t->p != at) /* 8f@…: a floating-point number */
			return false;
		t->p++;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 && size != -4 && size != -8)
		return false;
	o->is_signed = size < 0;
	o->size = (uint8_t)llabs(size);
	if (text_take(t, '$')) {
		o->kind = WL_OP_CONSTANT;
		return take_number(t, &o->value) && t->p == t->end;
	}
	if (t->p == t->end || *t->p != '%')
		return parse_memory(t, o, variable, user);
	r = take_register(t);
	if (r < 0)
		return false;
	o->kind = WL_OP_REGISTER;
	o->reg = registers[r].reg;
	o->high = registers[r].high;
	o->width = registers[r].width;
	if (o->size > o->width)
		o->size = o->width;
	return t->p == t->end;
}

unsigned wl_operands_parse(const char *text, struct wl_operand *out, wl_variable_fn *variable, void *user)
{
	unsigned n = 0;

	memset(out, 0, WL_POINT_ARGS * sizeof(*out));
	for (;;) {
		struct text t;
		struct wl_operand o = {0};

		text += strspn(text, " ");
		if (!*text)
			return n;
		t = (struct text){text, text + strcspn(text, " ")};
		text = t.end;
		if (!parse_operand(&t, &o, variable, user))
			o = (struct wl_operand){.kind = WL_OP_UNKNOWN};
		if (n < WL_POINT_ARGS)
			out[n] = o;
		n++;
	}
}

/* ---- notes ---- */

static const char *take_string(const uint8_t **p, size_t *left)
{
	const char *s = (const char *)*p;
	size_t n = strnlen(s, *left);

	if (n == *left)
		return NULL;
	*p += n + 1;
	*left -= n + 1;
	return s;
}

struct reading {
	const struct wl_elf *elf;
	wl_variable_fn *variable;
	void *user;
	struct wl_notes *out;
	size_t cap;
	const Elf64_Shdr *base; /* .stapsdt.base, or NULL */
};

/* The note's own bytes. False without memory. */
static bool add_note(struct reading *r, const uint8_t *desc, size_t size)
{
	struct wl_note note = {0};
	uint64_t word[3], moved;

	if (size < ADDRESSES)
		return true;
	memcpy(word, desc, sizeof(word));
	desc += ADDRESSES;
	size -= ADDRESSES;
	note.provider = take_string(&desc, &size);
	note.name = note.provider ? take_string(&desc, &size) : NULL;
	note.text = note.name ? take_string(&desc, &size) : NULL;
	if (!note.text || !*note.provider || !*note.name)
		return true;
	moved = r->base && word[1] ? r->base->sh_addr - word[1] : 0;
	note.address = word[0] + moved;
	note.semaphore = word[2] ? word[2] + moved : 0;
	if (!wl_elf_code_offset(r->elf, note.address, &note.offset))
		return true;
	note.n_args = wl_operands_parse(note.text, note.arg, r->variable, r->user);
	if (r->out->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 64;
		struct wl_note *v = cap > NOTES_MAX ? NULL : realloc(r->out->v, cap * sizeof(*v));

		if (!v)
			return false;
		r->out->v = v;
		r->cap = cap;
	}
	r->out->v[r->out->n++] = note;
	return true;
}

static size_t aligned_size(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* The notes of one section, until one isn't whole. */
static bool add_section(struct reading *r, const uint8_t *p, size_t size)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		size_t name, desc;

		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
		size -= sizeof(h);
		name = aligned_size(h.n_namesz);
		if (name > size)
			return true;
		/* the last one may lack its padding */
		desc = aligned_size(h.n_descsz) < size - name ? aligned_size(h.n_descsz) : size - name;
		if (h.n_descsz > desc)
			return true;
		if (h.n_type == STAPSDT_TYPE && h.n_namesz == 8 && memcmp(p, "stapsdt", 8) == 0 &&
			!add_note(r, p + name, h.n_descsz))
			return false;
		p += name + desc;
		size -= name + desc;
	}
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct wl_note *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

int wl_notes_read(const struct wl_elf *elf, wl_variable_fn *variable, void *user, struct wl_notes *out)
{
	struct reading r = {.elf = elf, .variable = variable, .user = user, .out = out};
	bool well = true;

	*out = (struct wl_notes){0};
	r.base = wl_elf_section_named(elf, ".stapsdt.base");
	for (size_t i = 0; i < elf->n_sections && well && out->n_bytes < SECTIONS_MAX; i++) {
		const Elf64_Shdr *sh = &elf->sections[i];
		uint8_t *bytes = sh->sh_type == SHT_NOTE ? wl_elf_read(elf, sh->sh_offset, sh->sh_size) : NULL;
		uint8_t **all;

		if (!bytes)
			continue;
		all = realloc(out->bytes, (out->n_bytes + 1) * sizeof(*all));
		if (!all) {
			free(bytes);
			well = false;
			break;
		}
		out->bytes = all;
		all[out->n_bytes++] = bytes;
		well = add_section(&r, bytes, sh->sh_size);
	}
	if (!well) {
		wl_notes_free(out);
		return ENOMEM;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_offset);
	return 0;
}

void wl_notes_free(struct wl_notes *notes)
{
	for (size_t i = 0; i < notes->n_bytes; i++)
		free(notes->bytes[i]);
	free(notes->bytes);
	free(notes->v);
	*notes = (struct wl_notes){0};
}
