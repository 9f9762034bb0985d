/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the verifier's decoder with Zydis, which has the same policy around it. The inputs are all openings of up
 * to three bytes, encodings made of every line of opcode.def, those with bits and bytes changed, and random bytes.
 * Both must refuse, or both must return the same row with the same operands, width and length. The name of a refused
 * opcode must be Zydis's name for it. WARD_SAME_SEED draws other inputs.
 *
 * This test also reads opcode.def on its own: no two of its lines may mean the same bytes, each must be met, and so
 * must every row of isa.def in every form and width.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "encodings.h"
#include "guarded.h"
#include "zydis.h"

enum { PC = 0x100000, ROOM = ENCODING_ROOM, MAX_SHOWN = 20 };

struct tally {
	unsigned long tried, accepted, refused, same_rule, named, different;
};

/* Is this what Zydis calls it? It may be a phrase instead, or lack what names a width. */
static bool same_name(const char *ours, const char *theirs)
{
	size_t n = strlen(ours);

	if (strchr(ours, ' ') || strchr(theirs, ' '))
		return true;
	if (strncmp(ours, theirs, n) != 0)
		return false;
	theirs += n;
	return !*theirs || (strchr("bwdq", *theirs) && !theirs[1]) || strcmp(theirs, "64") == 0;
}

static void show(const uint8_t *bytes, size_t size, const char *ours, const char *theirs)
{
	fprintf(stderr, "same:");
	for (size_t i = 0; i < size && i < 16; i++)
		fprintf(stderr, " %02x", bytes[i]);
	fprintf(stderr, ": \"%s\" against \"%s\"\n", ours, theirs);
}

/* Both decoders on the same bytes; returns true if both accept. */
static bool compare(struct tally *t, const uint8_t *bytes, size_t size, struct wv_insn *insn)
{
	const char *why, *their_why;
	struct wv_insn theirs;
	enum wv_decode_status a = wv_decode(bytes, size, PC, insn, &why),
			      b = zydis_decode(bytes, size, PC, &theirs, &their_why);
	char text[2][100] = {"", ""};
	bool same = a == WV_DECODED && b == WV_DECODED ? same_insn(insn, &theirs) : a != WV_DECODED && b != WV_DECODED;

	t->tried++;
	if (a != WV_DECODED && b != WV_DECODED) {
		t->refused++;
		t->same_rule += a == b;
		t->named += a == WV_BAD_OPCODE && !strchr(why, ' ');
		same = a != WV_BAD_OPCODE || b != WV_BAD_OPCODE || same_name(why, their_why);
	} else if (same) {
		t->accepted++;
		return true;
	}
	if (!same && t->different++ < MAX_SHOWN) {
		if (a == WV_DECODED)
			wv_insn_print(insn, text[0], sizeof text[0]);
		if (b == WV_DECODED)
			wv_insn_print(&theirs, text[1], sizeof text[1]);
		show(bytes, size, a == WV_DECODED ? text[0] : why, b == WV_DECODED ? text[1] : their_why);
	}
	return false;
}

static void conclude(const struct tally *t, const char *what)
{
	fprintf(stderr,
		"same: %s: %lu tried, %lu accepted by both with the same meaning, %lu refused by both (%lu by the same "
		"rule, %lu named), %lu differ\n",
		what, t->tried, t->accepted, t->refused, t->same_rule, t->named, t->different);
	cr_assert_gt(t->accepted, 0);
	cr_assert_gt(t->refused, 0);
	cr_assert_eq(t->different, 0);
}

/* ---- openings ---- */

/* All first bytes up to the third, or after C4 up to the fourth, before a tail. */
static void openings(const uint8_t tail[5], const char *what)
{
	struct tally t = {0};
	struct wv_insn insn;
	uint8_t bytes[ROOM];

	for (unsigned vex = 0; vex < 2; vex++) {
		bytes[0] = 0xc4;
		for (unsigned i = vex + 3; i < ROOM; i++)
			bytes[i] = tail[(i - vex - 3) % 5];
		for (uint32_t code = 0; code < 1 << 24; code++) {
			bytes[vex] = (uint8_t)(code >> 16);
			bytes[vex + 1] = (uint8_t)(code >> 8);
			bytes[vex + 2] = (uint8_t)code;
			compare(&t, bytes, ROOM, &insn);
		}
	}
	conclude(&t, what);
}

Test(same, openings_before_zeros)
{
	openings((const uint8_t[5]){0}, "three bytes, and three after C4, then 00");
}

Test(same, openings_before_ones)
{
	openings((const uint8_t[5]){0xfa, 0xff, 0xff, 0xff, 0xff},
		"three bytes, and three after C4, then fa ff ff ff ff");
}

Test(same, openings_before_registers)
{
	openings((const uint8_t[5]){0xc1, 0x84, 0x25, 0x90, 0x48},
		"three bytes, and three after C4, then c1 84 25 90 48");
}

Test(same, openings_before_addresses)
{
	openings((const uint8_t[5]){0x44, 0x8e, 0x80, 0x7f, 0x05},
		"three bytes, and three after C4, then 44 8e 80 7f 05");
}

/* ---- random bytes ---- */

/* Never zero, from which xorshift doesn't move. */
static uint64_t seed(void)
{
	const char *chosen = getenv("WARD_SAME_SEED");

	return 0x9e3779b97f4a7c15 * (2 * (chosen ? strtoull(chosen, NULL, 0) : 0) + 1);
}

static void fill(uint64_t *random, uint8_t bytes[ROOM])
{
	for (unsigned k = 0; k < ROOM; k += 8)
		memcpy(bytes + k, &(uint64_t){encodings_random(random)}, 8);
}

/* Bytes that end before a page that can't be read: neither may look further than it was allowed to. */
Test(same, random_bytes)
{
	static const uint8_t prefixes[] = {
		0x66, 0x2e, 0xf3, 0xf2, 0x48, 0x41, 0x4c, 0x49, 0x45, 0x67, 0x40, 0x4f, 0xf0, 0xc4, 0x3e};
	struct guarded g = guarded_new(ROOM);
	uint64_t random = seed();
	struct tally t = {0};

	cr_assert(g.map);
	for (unsigned i = 0; i < 4000000; i++) {
		size_t size = 1 + encodings_random(&random) % 18;
		uint8_t bytes[ROOM];
		struct wv_insn insn;
		unsigned at = 0;

		fill(&random, bytes);
		if (i & 1) {
			for (uint64_t n = encodings_random(&random) % 4; n; n--)
				bytes[at++] = prefixes[encodings_random(&random) % sizeof prefixes];
			if (encodings_random(&random) & 1)
				bytes[at++] = 0x0f;
		}
		compare(&t, guarded_put(&g, bytes, size), size, &insn);
	}
	conclude(&t, "random bytes, of one to eighteen");
	guarded_free(&g);
}

/* ---- encodings made of opcode.def ---- */

static const struct {
	const char *name, *forms, *widths;
} rows[WV_OP_COUNT] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) [WV_##op] = {#op, #forms, #widths},
#include "ward/isa.def"
#undef INSN
};

enum { MOST_LINES = 1000, MOST_FORMS = 12, N_WIDTHS = 5 };

/* No two lines for one map, prefix, opcode and ModRM; and none for a byte that is a prefix. */
Test(same, each_opcode_has_one_line)
{
	static uint16_t owner[5][4][256][256];
	unsigned long taken = 0;

	for (unsigned i = 0; i < n_opcode_lines; i++) {
		const struct opcode_line *l = &opcode_lines[i];
		unsigned map = opcode_map(l->map), first = opcode_prefix(l->prefix), last = first;

		cr_assert(map < 5 && (first < 4 || strcmp(l->prefix, "_") == 0 || strcmp(l->prefix, "PAD") == 0 ||
					     strcmp(l->prefix, "3E") == 0),
			"line %u: %s", i, l->name);
		if (first == 4) { /* with 66 and without */
			first = 0;
			last = 1;
		}
		for (unsigned pp = first; pp <= last; pp++) {
			for (unsigned at = l->opcode << 8; at < (l->opcode + l->count) << 8; at++) {
				uint16_t *o = &owner[map][pp][at >> 8][at & 0xff];

				if (!opcode_modrm_fits(l->modrm, at & 0xff))
					continue;
				cr_assert_eq(*o, 0, "%s and %s have one opcode: %02x %02x", l->name,
					opcode_lines[*o - 1].name, at >> 8, at & 0xff);
				*o = (uint16_t)(i + 1);
				taken++;
			}
		}
	}
	for (unsigned modrm = 0; modrm < 256; modrm++) {
		for (unsigned opcode = 0x40; opcode < 0x50; opcode++)
			cr_assert_eq(owner[0][0][opcode][modrm], 0);
		for (unsigned i = 0; i < 15; i++)
			cr_assert_eq(
				owner[0][0][(uint8_t)"\x0f\x26\x2e\x36\x3e\x62\x64\x65\x66\x67\xc4\xc5\xf0\xf2\xf3"[i]]
				     [modrm],
				0);
	}
	fprintf(stderr,
		"same: %u lines of opcode.def have %lu places of map, prefix, opcode and ModRM, none of them two\n",
		n_opcode_lines, taken);
}

/* What the operands of a line are called in isa.def's column of forms. */
static void form_of(const struct opcode_line *l, bool memory, bool lock, char *form)
{
	char *out = form;

	if (lock)
		*out++ = 'L';
	if (l->operands[0] == 'J') {
		strcpy(out, "REL");
		return;
	}
	for (const char *c = l->operands; *c; c++) {
		if (*c == 'E')
			*out++ = memory ? 'M' : 'R';
		else if (*c == 'Y')
			*out++ = memory ? 'M' : 'X';
		else if (!isdigit((unsigned char)*c)) /* a width */
			*out++ = strchr("GOVA", *c) ? 'R' : *c;
	}
	*out = 0;
}

struct coverage {
	struct tally tally;
	bool met[MOST_LINES];
	char forms[WV_OP_COUNT][MOST_FORMS][N_WIDTHS][5]; /* forms met */
	uint64_t random;
	unsigned long mutants;
};

static unsigned width_index(unsigned width)
{
	return width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : width == 64 ? 3 : 4;
}

static void cover(struct coverage *c, const struct opcode_line *l, const struct wv_insn *insn, bool memory)
{
	char form[8];

	form_of(l, memory, insn->lock, form);
	for (unsigned i = 0; i < MOST_FORMS; i++) {
		char *known = c->forms[insn->op][i][width_index(insn->width)];

		if (!*known)
			strcpy(known, form);
		if (strcmp(known, form) == 0)
			return;
	}
	cr_assert_fail("%s: more than %d forms", l->name, MOST_FORMS);
}

/* Some bits or bytes other, one more, one less: both decoders must still agree. */
static void mutate(struct coverage *c, const uint8_t *bytes)
{
	uint8_t mutant[ROOM];
	struct wv_insn insn;
	uint64_t r = encodings_random(&c->random);
	unsigned at = r >> 8 & 7;

	memcpy(mutant, bytes, ROOM);
	switch (r & 7) {
	case 0: memmove(mutant + at, mutant + at + 1, ROOM - at - 1); break;
	case 1: memmove(mutant + at + 1, mutant + at, ROOM - at - 1); /* fall through */
	case 2: mutant[at] = (uint8_t)(r >> 16); break;
	case 3: mutant[r >> 16 & 7] ^= 1u << (r >> 24 & 7); /* fall through */
	default: mutant[at] ^= 1u << (r >> 32 & 7);
	}
	compare(&c->tally, mutant, ROOM, &insn);
	c->mutants++;
}

static void try_encoding(void *user, const struct opcode_line *l, const uint8_t bytes[ROOM], bool memory)
{
	struct coverage *c = user;
	struct wv_insn insn;

	if (!compare(&c->tally, bytes, ROOM, &insn))
		return;
	/* not so: xchg for nop with REX.B */
	if (insn.op == l->op || l->op == WV_CBW || l->op == WV_CWD || l->op == WV_MOVD) {
		c->met[l - opcode_lines] = true;
		cover(c, l, &insn, memory);
	}
	for (unsigned i = 0; i < 20; i++)
		mutate(c, bytes);
}

/* Does the word stand among those that bars part? */
static bool among(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += n) {
		if ((at == words || at[-1] == '|') && (!at[n] || at[n] == '|'))
			return true;
	}
	return false;
}

static bool was_met(const struct coverage *c, unsigned op, const char *form, unsigned width)
{
	for (unsigned i = 0; i < MOST_FORMS; i++) {
		if (strcmp(c->forms[op][i][width], form) == 0)
			return true;
	}
	return false;
}

/*
 * Each row of isa.def in each form and width, but for the nop of one byte, which has none of 64 bits. Returns how many.
 */
static unsigned check_rows(const struct coverage *c)
{
	static const char *const widths[] = {"W8", "W16", "W32", "W64", "W128"};
	unsigned n = 0;

	for (unsigned op = 0; op < WV_OP_COUNT; op++) {
		char forms[80], *rest = forms;

		snprintf(forms, sizeof forms, "%s", rows[op].forms);
		for (char *form; (form = strsep(&rest, "|"));) {
			for (unsigned w = 0; w < N_WIDTHS; w++) {
				if (!among(rows[op].widths, widths[w]) || (op == WV_NOP && *form == '_' && w == 3))
					continue;
				cr_expect(was_met(c, op, form, w), "no encoding of %s, form %s, %s", rows[op].name,
					form, widths[w]);
				n++;
			}
		}
	}
	return n;
}

Test(same, encodings_of_every_line)
{
	static struct coverage c;
	unsigned combinations;

	cr_assert(n_opcode_lines <= MOST_LINES);
	c.random = seed();
	encodings_each(&c.random, try_encoding, &c);
	for (unsigned i = 0; i < n_opcode_lines; i++)
		cr_expect(c.met[i], "line %u of opcode.def, %s %s %02x, is never met", i, opcode_lines[i].name,
			opcode_lines[i].map, opcode_lines[i].opcode);
	combinations = check_rows(&c);
	conclude(&c.tally, "encodings of each line of opcode.def, and mutants of them");
	fprintf(stderr,
		"same: %lu of these are mutants; %u lines and %u combinations of row, form and width are all met\n",
		c.mutants, n_opcode_lines, combinations);
}

/* ---- names ---- */

static const struct {
	const char *map;
	unsigned opcode, count;
	const char *prefix, *what;
} names[] = {
#define REFUSED(map, opcode, count, prefix, modrm, rule, what) {#map, opcode, count, #prefix, what},
#include "ward/refused.def"
#undef REFUSED
};

/* Is one of the opcodes called so, with one of the line's prefixes and some ModRM? */
static bool is_called(unsigned line)
{
	static const uint8_t bytes_of[] = {0, 0x66, 0xf3, 0xf2};

	for (unsigned at = names[line].opcode << 8; at < (names[line].opcode + names[line].count) << 8; at++) {
		for (unsigned pp = 0; pp < 4; pp++) {
			uint8_t bytes[ROOM] = {bytes_of[pp]};
			unsigned n = pp > 0;
			struct wv_insn insn;
			const char *why;

			if (opcode_prefix(names[line].prefix) != pp && strcmp(names[line].prefix, "ANY") != 0)
				continue;
			if (strcmp(names[line].map, "ONE") != 0)
				bytes[n++] = 0x0f;
			if (strcmp(names[line].map, "0F38") == 0)
				bytes[n++] = 0x38;
			bytes[n++] = (uint8_t)(at >> 8);
			bytes[n++] = (uint8_t)at;
			if (wv_decode(bytes, ROOM, PC, &insn, &why) != WV_DECODED && strcmp(why, names[line].what) == 0)
				return true;
		}
	}
	return false;
}

Test(same, each_name_is_used)
{
	unsigned n = sizeof names / sizeof *names;

	for (unsigned i = 0; i < n; i++)
		cr_expect(is_called(i), "refused.def, %s %02x: nothing is called \"%s\"", names[i].map, names[i].opcode,
			names[i].what);
	fprintf(stderr, "same: %u lines of refused.def, all in use\n", n);
}
