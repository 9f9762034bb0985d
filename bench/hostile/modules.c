/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile modules for ward-verify: each has a great number of one thing that could cost more than its bytes. They are
 * made by hand, as machine code and proof. Most are accepted, or would be; some are refused on purpose, so that there
 * is much to report.
 */
#include <stdlib.h>
#include <string.h>

#include "hostile.h"

/* ---- code ---- */

enum { NUMBER = 2, POINTER = 3, UNINIT = 0, RAX = 0, RSI = 6, RDI = 7, SLOTS = 512, SLOT = 16, U64 = 1, MANY = 512 };

static void code(struct bm_bytes *b, const char *bytes, size_t n)
{
	bm_put(b, bytes, n);
}

#define CODE(b, bytes) code(b, bytes, sizeof(bytes) - 1)

/* jcc, jmp: an opcode of one or two bytes and a distance of four. */
static void branch(struct bm_bytes *b, const char *opcode, size_t to)
{
	bm_put(b, opcode, strlen(opcode));
	bm_put_le(b, 4, (uint64_t)to - (b->n + 4));
}

/* mov [rsp + 8 * i], rax; or rdx */
static void store(struct bm_bytes *b, bool rdx, unsigned i)
{
	bm_put(b, rdx ? "\x48\x89\x94\x24" : "\x48\x89\x84\x24", 4);
	bm_put_le(b, 4, 8 * i);
}

/*
 * A full frame: each slot holds the same number as rax, or its low half plus something. Then flags that compare rax
 * with what is five more.
 */
static void full_frame(struct bm_bytes *b, bool low_halves)
{
	CODE(b, "\x48\x81\xec\x00\x10\x00\x00"); /* sub rsp, 4096 */
	CODE(b, "\x48\x8b\x07");                 /* mov rax, [rdi] */
	CODE(b, "\x48\x8d\x48\x05");             /* lea rcx, [rax + 5] */
	for (unsigned i = 0; i < SLOTS; i++) {
		if (low_halves) {
			CODE(b, "\x8d\x90"); /* lea edx, [rax + i + 1] */
			bm_put_le(b, 4, i + 1);
		}
		store(b, low_halves, i);
	}
}

static void compare(struct bm_bytes *b)
{
	CODE(b, "\x41\x89\xc0\x41\x89\xc1");         /* mov r8d, eax; mov r9d, eax */
	CODE(b, "\x48\x39\xc8");                     /* cmp rax, rcx */
	CODE(b, "\x4c\x0f\x4a\xc0\x4c\x0f\x4a\xc8"); /* cmovp r8, rax; cmovp r9, rax */
	CODE(b, "\x48\x39\xc8");
}

static void leave(struct bm_bytes *b)
{
	CODE(b, "\x48\x81\xc4\x00\x10\x00\x00\xc3"); /* add rsp, 4096; ret */
}

/* ---- proofs ---- */

static void begin_function(struct bm_bytes *p, uint64_t entry, unsigned loops)
{
	bm_put_uleb(p, entry);
	for (unsigned i = 0; i < 3; i++)
		bm_put_uleb(p, 0); /* keeps nothing, no windows, no results */
	bm_put_uleb(p, loops);
}

static void claim(struct bm_bytes *p, unsigned reg, unsigned slot, unsigned kind)
{
	bm_put_u8(p, reg);
	if (reg == SLOT)
		bm_put_uleb(p, slot);
	bm_put_u8(p, kind);
}

static void no_facts(struct bm_bytes *p)
{
	bm_put_uleb(p, 0);
}

static void pointer(struct bm_bytes *p, unsigned reg, unsigned region)
{
	claim(p, reg, 0, POINTER);
	bm_put_u8(p, region);
	bm_put_uleb(p, U64);
	bm_put_uleb(p, 0);
	bm_put_uleb(p, 0);
}

static void block(struct bm_bytes *p, uint64_t addr, unsigned depth, unsigned claims)
{
	bm_put_uleb(p, addr);
	bm_put_uleb(p, depth);
	bm_put_uleb(p, claims);
}

/* The block at the entry: rsi is the state and rdi the event. */
static void entry_block(struct bm_bytes *p, uint64_t addr)
{
	block(p, addr, 0, 2);
	pointer(p, RSI, 1);
	pointer(p, RDI, 0);
	bm_put_uleb(p, 0);
}

/* A block of whose frame much is claimed: that each slot holds a number. */
static void claimed_block(struct bm_bytes *p, uint64_t addr, unsigned slots)
{
	block(p, addr, 4096, slots);
	for (unsigned i = 1; i <= slots; i++) {
		claim(p, SLOT, i, NUMBER);
		no_facts(p);
	}
	bm_put_uleb(p, 0);
}

static void finish(struct bm_bytes *out, struct bm_bytes *text, struct bm_bytes *proof, const struct bm_module *more)
{
	static const struct bm_entry first = {.name = "entry"};
	struct bm_module m = *more;
	m.text = text->p;
	m.text_size = text->n;
	m.proof = proof->p;
	m.proof_size = proof->n;
	m.state_size = m.state_size ? m.state_size : 4096;
	if (!m.n_entries) {
		m.entries = &first;
		m.n_entries = 1;
	}
	struct bm_file file = bm_build(&m);
	bm_put(out, file.data, file.size);
	bm_free(&file);
	bm_bytes_free(text);
	bm_bytes_free(proof);
}

static const struct bm_module plain;

/* ---- what a branch tells ---- */

/* n branches of six bytes, or of two, where each slot of the frame is something else that the branch tells of. */
static void branches(struct bm_bytes *out, unsigned n, bool low_halves, unsigned claims)
{
	struct bm_bytes t = {0}, p = {0};
	full_frame(&t, low_halves);
	compare(&t);
	size_t end = t.n + 6 * (size_t)n;
	for (unsigned i = 0; i < n; i++)
		branch(&t, "\x0f\x8a", end); /* jp */
	leave(&t);
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 2);
	entry_block(&p, 0);
	claimed_block(&p, end, claims);
	finish(out, &t, &p, &plain);
}

static void branches_low(struct bm_bytes *out, unsigned n)
{
	branches(out, n, true, 0);
}

static void branches_same(struct bm_bytes *out, unsigned n)
{
	branches(out, n, false, 0);
}

static void branches_claims(struct bm_bytes *out, unsigned n)
{
	branches(out, n, true, SLOTS);
}

/* The same with branches of two bytes to where the proof has no block: a violation each. */
static void branches_astray(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	full_frame(&t, true);
	compare(&t);
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\x7a\x00");
	leave(&t);
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &plain);
}

/* A chain of values, each made of the one before, ends in an access out of bounds: one sweep each to explain it. */
static void chain(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	full_frame(&t, true);
	CODE(&t, "\x4c\x8b\x57\x10"); /* mov r10, [rdi + 16] */
	for (unsigned i = 0; i < 12; i++)
		CODE(&t, "\x4d\x0f\xaf\xd2"); /* imul r10, r10 */
	CODE(&t, "\x48\x39\xc8");
	size_t end = t.n + 6 * (size_t)n + 4;
	for (unsigned i = 0; i < n; i++)
		branch(&t, "\x0f\x8a", end);
	CODE(&t, "\x4a\xff\x04\xd6"); /* inc [rsi + 8 * r10] */
	leave(&t);
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 2);
	entry_block(&p, 0);
	claimed_block(&p, end, 0);
	finish(out, &t, &p, &plain);
}

/* ---- claims ---- */

/*
 * A block at each byte of n, and in each as many claims as the proof may have: with facts of their own, so that none
 * are shared.
 */
static void blocks(struct bm_bytes *out, unsigned n, unsigned claims, bool facts)
{
	struct bm_bytes t = {0}, p = {0};
	unsigned number = 0;
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, n);
	entry_block(&p, 0);
	CODE(&t, "\x90");
	for (unsigned i = 1; i < n; i++) {
		CODE(&t, "\x90");
		block(&p, i, 0, claims);
		for (unsigned k = 1; k <= claims; k++) {
			claim(&p, SLOT, k, facts ? NUMBER : UNINIT);
			if (facts) {
				bm_put_uleb(&p, U64);
				bm_put_uleb(&p, ++number & 0x3fff);
				bm_put_uleb(&p, number & 0x3fff);
			}
		}
		bm_put_uleb(&p, 0);
	}
	CODE(&t, "\xc3");
	finish(out, &t, &p, &plain);
}

static void blocks_bare(struct bm_bytes *out, unsigned n)
{
	blocks(out, n, 0, false);
}

static void blocks_facts(struct bm_bytes *out, unsigned n)
{
	blocks(out, n, 6, true);
}

static void blocks_claims(struct bm_bytes *out, unsigned n)
{
	blocks(out, n, 16, false);
}

/* Functions, each of one block, at one address: all but the first are refused. */
static void functions_at_one(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\xc3");
	bm_put_uleb(&p, n);
	for (unsigned i = 0; i < n; i++) {
		begin_function(&p, 0, 0);
		bm_put_uleb(&p, 1);
		block(&p, 0, 0, 0);
		bm_put_uleb(&p, 0);
	}
	finish(out, &t, &p, &plain);
}

/* ---- the frame ---- */

/* Loads of a byte from anywhere in a frame of which all is set. */
static void frame_loads(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	full_frame(&t, false);
	CODE(&t, "\x25\xff\x0f\x00\x00"); /* and eax, 4095 */
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\x8a\x0c\x04"); /* mov cl, [rsp + rax] */
	leave(&t);
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &plain);
}

/* A frame that is given up and taken again, from its deepest slot on. */
static void frame_again(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	CODE(&t, "\x31\xc0"); /* xor eax, eax */
	for (unsigned i = 0; i < n; i++)
		/* sub rsp, 4088; push rax; add rsp, 4096 */
		CODE(&t, "\x48\x81\xec\xf8\x0f\x00\x00\x50\x48\x81\xc4\x00\x10\x00\x00");
	CODE(&t, "\xc3");
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &plain);
}

/* Sums, of which each is compared with those kept and a distance noted. */
static void sums(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	CODE(&t, "\x48\x8b\x07\x48\x8b\x4f\x08"); /* mov rax, [rdi]; mov rcx, [rdi + 8] */
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\x48\x8d\x14\x08\x48\x8d\x04\x11"); /* lea rdx, [rax + rcx]; lea rax, [rcx + rdx] */
	CODE(&t, "\xc3");
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &plain);
}

/* ---- violations ---- */

/*
 * An access that is refused at every three bytes, and sections without number, among which each report would look for
 * its place.
 */
static void violations(struct bm_bytes *out, unsigned n)
{
	static const struct bm_section none = {.name = "x"};
	struct bm_section *sections = malloc(n * sizeof *sections);
	struct bm_bytes t = {0}, p = {0};
	for (unsigned i = 0; i < n; i++) {
		CODE(&t, "\x48\x89\x07"); /* mov [rdi], rax */
		if (sections)
			sections[i] = none;
	}
	CODE(&t, "\xc3");
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &(struct bm_module){.sections = sections, .n_sections = sections ? n : 0});
	free(sections);
}

/* Jumps into nothing, each to where another is refused. */
static void jumps_astray(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0}, p = {0};
	CODE(&t, "\x48\x39\xf7"); /* cmp rdi, rsi */
	for (unsigned i = 0; i < n; i++)
		branch(&t, "\x0f\x84", 3 + 6 * (size_t)(i * 7 % n));
	CODE(&t, "\xc3");
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &plain);
}

/* ---- debug information ---- */

/* n units that share one table of n lines, which is looked through for each of them. */
static void debug_units(struct bm_bytes *out, unsigned n)
{
	/* a unit, with the offset of its lines */
	static const char abbreviations[] = {1, 0x11, 0, 0x10, 0x17, 0, 0, 0};
	static const char header[] = {1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 'a', 0, 0, 0, 0, 0};
	struct bm_bytes t = {0}, p = {0}, info = {0}, lines = {0};
	for (unsigned i = 0; i < n; i++) {
		bm_put_le(&info, 4, 12);
		bm_put_le(&info, 2, 4);
		bm_put_le(&info, 4, 0);
		bm_put_u8(&info, 8);
		bm_put_u8(&info, 1);
		bm_put_le(&info, 4, 0);
	}
	bm_put_le(&lines, 4, 6 + sizeof header + 11 + n + 3);
	bm_put_le(&lines, 2, 4);
	bm_put_le(&lines, 4, sizeof header);
	bm_put(&lines, header, sizeof header);
	bm_put(&lines, "\0\x09\x02", 3);
	bm_put_le(&lines, 8, BM_TEXT_ADDR);
	for (unsigned i = 0; i < n; i++)
		bm_put_u8(&lines, 33); /* the next line, one byte on */
	bm_put(&lines, "\0\x01\x01", 3);
	struct bm_section sections[] = {{.name = ".debug_abbrev", .bytes = abbreviations, .size = sizeof abbreviations},
		{.name = ".debug_info", .bytes = info.p, .size = info.n},
		{.name = ".debug_line", .bytes = lines.p, .size = lines.n}};
	CODE(&t, "\x48\x89\x07\xc3"); /* mov [rdi], rax; ret */
	bm_put_uleb(&p, 1);
	begin_function(&p, 0, 0);
	bm_put_uleb(&p, 1);
	entry_block(&p, 0);
	finish(out, &t, &p, &(struct bm_module){.sections = sections, .n_sections = 3});
	bm_bytes_free(&info);
	bm_bytes_free(&lines);
}

/* ---- the table ---- */

const struct hostile hostile_modules[] = {
	{"branches-low-halves", "ward-verify", {NULL}, branches_low, ".ward", 4000, 1},
	{"branches-same-value", "ward-verify", {NULL}, branches_same, ".ward", 4000, 1},
	{"branches-into-claims", "ward-verify", {NULL}, branches_claims, ".ward", 4000, 1},
	{"branches-astray", "ward-verify", {NULL}, branches_astray, ".ward", 4000, 1},
	{"chain-to-explain", "ward-verify", {NULL}, chain, ".ward", 1000, 1},
	{"blocks-bare", "ward-verify", {NULL}, blocks_bare, ".ward", 20000, 1},
	{"blocks-facts", "ward-verify", {NULL}, blocks_facts, ".ward", 5000, 1},
	{"blocks-claims", "ward-verify", {NULL}, blocks_claims, ".ward", 5000, 1},
	{"functions-at-one-address", "ward-verify", {NULL}, functions_at_one, ".ward", 10000, 1},
	{"frame-loads", "ward-verify", {NULL}, frame_loads, ".ward", 10000, 1},
	{"frame-again", "ward-verify", {NULL}, frame_again, ".ward", 2000, 1},
	{"sums", "ward-verify", {NULL}, sums, ".ward", 10000, 1},
	{"violations-text", "ward-verify", {NULL}, violations, ".ward", 1500, 1},
	{"violations-json", "ward-verify", {"--json"}, violations, ".ward", 1500, 1},
	{"violations-sarif", "ward-verify", {"--sarif"}, violations, ".ward", 1500, 1},
	{"jumps-astray", "ward-verify", {NULL}, jumps_astray, ".ward", 5000, 1},
	{"debug-units", "ward-verify", {NULL}, debug_units, ".ward", 10000, 1},
	/* That prints what each instruction reads and changes. */
	{"explain-branches", "ward-verify", {"--explain"}, branches_low, ".ward", 1000, 4},
	{"explain-violations", "ward-verify", {"--explain"}, violations, ".ward", 1500, 4},
	{NULL, NULL, {NULL}, NULL, NULL, 0, 0},
};
