/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier trusts its own decoder. This test compares it with three other decoders, which share nothing with it,
 * on everything that it accepts. LLVM must agree on the length, the mnemonic and every operand; Capstone on the
 * length and the mnemonic; Zydis, with the same policy around it (zydis.c), on everything. (same.c also compares
 * Zydis on what is refused.) It tries all encodings of one to three bytes, each with several tails, encodings of each
 * line of opcode.def, and random longer ones. Only if decoders agree does the processor run what was verified.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>
#include <criterion/criterion.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "encodings.h"
#include "zydis.h"

/*
 * Where memory is watched, what is exhaustive comes before one filling instead of four: the decoder reads the same
 * bytes.
 */
#ifdef __SANITIZE_ADDRESS__
enum { WATCHED = true };
#else
enum { WATCHED = false };
#endif

enum { PC = 0x100000, ROOM = ENCODING_ROOM, MAX_SHOWN = 20 };

struct judges {
	LLVMDisasmContextRef llvm;
	csh capstone;
	cs_insn *scratch;
	unsigned long tried, judged, disagreed, excused;
	bool seen[WV_OP_COUNT];
};

static struct judges judges_new(void)
{
	struct judges j = {0};

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86Disassembler();
	j.llvm = LLVMCreateDisasm("x86_64-unknown-linux-gnu", NULL, 0, NULL, NULL);
	cr_assert(j.llvm);
	cr_assert(LLVMSetDisasmOptions(j.llvm, LLVMDisassembler_Option_AsmPrinterVariant)); /* Intel syntax */
	cr_assert_eq(cs_open(CS_ARCH_X86, CS_MODE_64, &j.capstone), CS_ERR_OK);
	j.scratch = cs_malloc(j.capstone);
	cr_assert(j.scratch);
	return j;
}

static void judges_free(struct judges *j)
{
	cs_free(j->scratch, 1);
	cs_close(&j->capstone);
	LLVMDisasmDispose(j->llvm);
}

/* ---- LLVM's text against wv_insn ---- */

static bool parse_register(const char *s, size_t n, struct wv_operand *out)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		char name[8];

		if ((size_t)snprintf(name, sizeof name, "xmm%u", reg) == n && memcmp(name, s, n) == 0) {
			*out = (struct wv_operand){.kind = WV_XMM, .width = 128, .reg = (uint8_t)reg};
			return true;
		}
	}
	for (unsigned width = 8; width <= 64; width *= 2) {
		for (unsigned reg = 0; reg < 16; reg++) {
			static const char *const old[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
			char name[8];

			if (reg >= 8)
				snprintf(name, sizeof name, "r%u%s", reg,
					width == 8    ? "b"
					: width == 16 ? "w"
					: width == 32 ? "d"
						      : "");
			else if (width == 8)
				snprintf(name, sizeof name, reg < 4 ? "%.1sl" : "%sl", old[reg]);
			else
				snprintf(name, sizeof name, "%s%s",
					width == 64   ? "r"
					: width == 32 ? "e"
						      : "",
					old[reg]);
			if (strlen(name) == n && memcmp(name, s, n) == 0) {
				*out = (struct wv_operand){
					.kind = WV_REG, .width = (uint8_t)width, .reg = (uint8_t)reg};
				return true;
			}
		}
	}
	for (unsigned reg = 0; reg < 4; reg++) {
		if (n == 2 && s[0] == "acdb"[reg] && s[1] == 'h') {
			*out = (struct wv_operand){.kind = WV_REG, .width = 8, .reg = (uint8_t)reg, .high = true};
			return true;
		}
	}
	return false;
}

/* One term of an address: "rax", "4*rcx", "16". `riz` is LLVM's name for no index. */
static bool parse_term(const char *s, size_t n, int sign, struct wv_mem *mem)
{
	struct wv_operand reg;
	char *end;
	long long value;

	if (n == 3 && memcmp(s, "riz", 3) == 0)
		return true;
	if (n == 3 && memcmp(s, "rip", 3) == 0) {
		mem->rip_relative = true;
		return sign > 0;
	}
	if (n > 2 && s[1] == '*' && memcmp(s + 2, "riz", n - 2) == 0)
		return true;
	if (n > 2 && s[1] == '*') {
		mem->scale = (uint8_t)(s[0] - '0');
		if (!parse_register(s + 2, n - 2, &reg) || reg.width != 64 || sign < 0)
			return false;
		mem->index = reg.reg;
		return true;
	}
	if (parse_register(s, n, &reg)) {
		if (reg.width != 64 || sign < 0)
			return false;
		if (mem->base == WV_NOREG) {
			mem->base = reg.reg;
			return true;
		}
		mem->index = reg.reg;
		return true;
	}
	value = strtoll(s, &end, 0);
	mem->disp += sign * value;
	return end == s + n;
}

static bool parse_memory(const char *s, struct wv_mem *mem)
{
	int sign = 1;

	*mem = (struct wv_mem){.base = WV_NOREG, .index = WV_NOREG, .scale = 1};
	for (;;) {
		size_t n = strcspn(s, " ]");

		if (!parse_term(s, n, sign, mem))
			return false;
		s += n;
		if (*s == ']')
			return s[1] == 0;
		if (strncmp(s, " + ", 3) == 0)
			sign = 1;
		else if (strncmp(s, " - ", 3) == 0)
			sign = -1;
		else
			return false;
		s += 3;
	}
}

static bool same_memory(const struct wv_insn *insn, const struct wv_mem *theirs)
{
	struct wv_mem ours = insn->mem;

	if (ours.rip_relative)
		ours.disp -= (int64_t)(insn->pc + insn->length);
	return ours.base == theirs->base && ours.index == theirs->index && ours.rip_relative == theirs->rip_relative &&
	       ours.disp == theirs->disp && (ours.index == WV_NOREG || ours.scale == theirs->scale);
}

static bool same_operand(const struct wv_insn *insn, unsigned i, const char *text)
{
	static const struct {
		const char *word;
		unsigned width;
	} sizes[] = {
		{"byte ptr ", 8}, {"word ptr ", 16}, {"dword ptr ", 32}, {"qword ptr ", 64}, {"xmmword ptr ", 128}};
	const struct wv_operand *op = &insn->operand[i];
	struct wv_operand reg;
	struct wv_mem mem;
	uint64_t mask = op->width >= 64 ? UINT64_MAX : (UINT64_C(1) << op->width) - 1;
	char *end;
	uint64_t value;

	if (op->kind == WV_REG || op->kind == WV_XMM)
		return parse_register(text, strlen(text), &reg) && reg.kind == op->kind && reg.reg == op->reg &&
		       reg.width == op->width && reg.high == op->high;
	if (op->kind == WV_MEM) {
		unsigned width = 0;

		for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			if (strncmp(text, sizes[k].word, strlen(sizes[k].word)) == 0) {
				text += strlen(sizes[k].word);
				width = sizes[k].width;
			}
		}
		return text[0] == '[' && (width == op->width || (width == 0 && insn->op == WV_LEA)) &&
		       parse_memory(text + 1, &mem) && same_memory(insn, &mem);
	}
	value = strtoull(text, &end, 0);
	return end != text && *end == 0 && ((value ^ (uint64_t)insn->imm) & mask) == 0;
}

/* Split "a, b, c" at its commas, in place. */
static unsigned split(char *text, char *part[4])
{
	unsigned n = 0;

	if (!*text)
		return 0;
	for (part[n++] = text; n < 4 && (text = strstr(text, ", ")); part[n++] = text) {
		*text = 0;
		text += 2;
	}
	return n;
}

/* Our mnemonic, without the word "lock". */
static const char *mnemonic_of(const struct wv_insn *insn, char *text, size_t size)
{
	wv_insn_print(insn, text, size);
	if (insn->lock)
		text += strlen("lock ");
	if (insn->op == WV_STOS || insn->op == WV_MOVS)
		text += strlen("rep ");
	text[strcspn(text, " ")] = 0;
	return text;
}

static bool same_mnemonic(const struct wv_insn *insn, const char *theirs)
{
	char text[100];

	if (strcmp(theirs, "movabs") == 0)
		return insn->op == WV_MOV && insn->width == 64;
	return strcmp(theirs, mnemonic_of(insn, text, sizeof text)) == 0;
}

static bool is_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 && isspace((unsigned char)text[n]);
}

/* LLVM prints prefixes that only make a nop longer as words of their own, and so it does lock and rep. */
static char *skip_prefix_words(char *text, bool *lock, bool *rep)
{
	*rep = false;
	*lock = false;
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (is_word(text, "data16")) {
			text += strlen("data16");
		} else if (is_word(text,
				   "notrack")) { /* before a jmp through a register; the decoder refuses it elsewhere */
			text += strlen("notrack");
		} else if (is_word(text, "rep")) {
			*rep = true;
			text += strlen("rep");
		} else if (is_word(text, "lock")) {
			*lock = true;
			text += strlen("lock");
		} else {
			return text;
		}
	}
}

static bool same_as_llvm(const struct wv_insn *insn, size_t length, char *text)
{
	char *part[4], *operands;
	unsigned n, wanted;
	bool lock, rep, string = insn->op == WV_STOS || insn->op == WV_MOVS;

	text = skip_prefix_words(text, &lock, &rep);
	operands = text + strcspn(text, "\t ");
	if (*operands)
		*operands++ = 0;
	if (length != insn->length || lock != insn->lock || rep != string || !same_mnemonic(insn, text))
		return false;
	if (insn->op == WV_NOP)
		return true;
	n = split(operands, part);
	if (string) /* which operands they are the mnemonic says; no other address or segment */
		return n == 2 && strstr(part[0], "ptr es:[rdi]") &&
		       (insn->op == WV_MOVS ? strstr(part[1], "ptr [rsi]") != NULL : !strchr(part[1], '['));
	if (insn->op == WV_JMP || insn->op == WV_JCC || insn->op == WV_CALL)
		return n == 1 && insn->pc + insn->length + (uint64_t)strtoll(part[0], NULL, 0) == insn->target;
	/* A shift by one is printed without the one. */
	wanted = insn->n_operands;
	if (insn->op >= WV_SHL && insn->op <= WV_ROR && insn->operand[1].kind == WV_IMM && insn->imm == 1 && n == 1)
		wanted = 1;
	if (n != wanted)
		return false;
	/* Which of two registers that are exchanged stands first is a matter of taste. */
	if (insn->op == WV_XCHG && same_operand(insn, 0, part[1]) && same_operand(insn, 1, part[0]))
		return true;
	for (unsigned i = 0; i < n; i++) {
		if (!same_operand(insn, i, part[i]))
			return false;
	}
	return true;
}

/* ---- Capstone ---- */

static bool same_as_capstone(struct judges *j, const struct wv_insn *insn, const uint8_t *bytes)
{
	const uint8_t *code = bytes;
	size_t size = ROOM;
	uint64_t address = PC;

	if (!cs_disasm_iter(j->capstone, &code, &size, &address, j->scratch) || j->scratch->size != insn->length)
		return false;
	bool lock = strncmp(j->scratch->mnemonic, "lock ", 5) == 0;
	bool rep = strncmp(j->scratch->mnemonic, "rep ", 4) == 0;
	return lock == insn->lock && rep == (insn->op == WV_STOS || insn->op == WV_MOVS) &&
	       same_mnemonic(insn, j->scratch->mnemonic + (lock         ? 5
								  : rep ? 4
									: 0));
}

/*
 * Mistakes of Capstone 4.0.2, in which LLVM's agreement must do: it takes the long nop's register form, 0F 1F /0 with
 * mod 3, which both Intel and AMD document, for no instruction.
 */
static bool capstone_is_known_wrong(const struct wv_insn *insn, const uint8_t *bytes)
{
	const uint8_t *end = bytes + insn->length;

	return insn->op == WV_NOP && insn->length >= 3 && end[-3] == 0x0f && end[-2] == 0x1f && end[-1] >= 0xc0;
}

/* ---- Zydis ---- */

static bool same_as_zydis(const struct wv_insn *insn, const uint8_t *bytes)
{
	struct wv_insn theirs;
	const char *why;

	return zydis_decode(bytes, ROOM, PC, &theirs, &why) == WV_DECODED && same_insn(insn, &theirs);
}

/* ---- the trial ---- */

static void show(const char *who, const uint8_t *bytes, const struct wv_insn *insn, const char *theirs)
{
	char ours[100];

	wv_insn_print(insn, ours, sizeof ours);
	fprintf(stderr, "agree: %s:", who);
	for (unsigned i = 0; i < insn->length; i++)
		fprintf(stderr, " %02x", bytes[i]);
	fprintf(stderr, ": \"%s\", %u bytes, against \"%s\"\n", ours, insn->length, theirs);
}

/* Returns the length if wv_decode accepts, else 0. */
static unsigned decode(struct judges *j, const uint8_t *bytes, struct wv_insn *insn)
{
	const char *why;

	j->tried++;
	if (wv_decode(bytes, ROOM, PC, insn, &why) != WV_DECODED)
		return 0;
	j->seen[insn->op] = true;
	return insn->length;
}

static void judge(struct judges *j, const uint8_t *bytes, const struct wv_insn *insn)
{
	/* LLVM takes a lock that stands first for an instruction of its own. */
	size_t lock = bytes[0] == 0xf0;
	char text[200], copy[220];
	size_t length =
		LLVMDisasmInstruction(j->llvm, (uint8_t *)bytes + lock, ROOM - lock, PC + lock, text, sizeof text);

	j->judged++;
	snprintf(copy, sizeof copy, "%s%s", lock ? "lock " : "", length ? text : "nothing");
	length += lock;
	if (!same_as_llvm(insn, length, copy) && j->disagreed++ < MAX_SHOWN)
		show("LLVM", bytes, insn, length ? text : "nothing");
	if (!same_as_zydis(insn, bytes) && j->disagreed++ < MAX_SHOWN)
		show("Zydis", bytes, insn, "?");
	if (same_as_capstone(j, insn, bytes))
		return;
	if (capstone_is_known_wrong(insn, bytes))
		j->excused++;
	else if (j->disagreed++ < MAX_SHOWN)
		show("Capstone", bytes, insn, j->scratch->mnemonic);
}

static void conclude(struct judges *j, const char *what)
{
	fprintf(stderr,
		"agree: %s: %lu tried, %lu accepted ones judged, %lu of them known mistakes of Capstone, %lu "
		"disagreements\n",
		what, j->tried, j->judged, j->excused, j->disagreed);
	cr_assert_gt(j->judged, 0);
	cr_assert_eq(j->disagreed, 0);
	judges_free(j);
}

/*
 * All first three bytes before a tail. What doesn't reach into the tail is judged for the first tail only, once. With a
 * tail that starts with fa, the end of endbr64, every row of isa.def must have come up, but those with VEX, and movbe,
 * of which fa is no operand: that comes with the first of zeros. Rows with xmm registers have a trial of their own.
 */
static void all_short(const uint8_t *tail, size_t n, bool first, const char *what)
{
	struct judges j = judges_new();
	uint8_t bytes[ROOM];

	for (size_t i = 3; i < ROOM; i++)
		bytes[i] = tail[(i - 3) % n];
	for (uint32_t code = 0; code < 1 << 24; code++) {
		struct wv_insn insn;
		unsigned length;

		bytes[0] = (uint8_t)(code >> 16);
		bytes[1] = (uint8_t)(code >> 8);
		bytes[2] = (uint8_t)code;
		length = decode(&j, bytes, &insn);
		if (length > 3 || (first && (length == 3 || (length == 2 && !bytes[2]) ||
						    (length == 1 && !bytes[1] && !bytes[2]))))
			judge(&j, bytes, &insn);
	}
	for (unsigned op = 0; op < WV_OP_COUNT && tail[0] == 0xfa; op++)
		cr_assert(j.seen[op] || op == WV_MOVBE || (op >= WV_ANDN && op <= WV_SHRX) || wv_op_is_vector(op),
			"row %u never came up", op);
	cr_assert(j.seen[WV_MOVBE] || tail[0]);
	conclude(&j, what);
}

Test(agree, short_before_zeros)
{
	all_short((const uint8_t[]){0x00}, 1, true, "three bytes, then 00");
}

Test(agree, short_before_ones, .disabled = WATCHED)
{
	all_short((const uint8_t[]){0xfa, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 7, false,
		"three bytes, then fa ff ff ff ff ff ff");
}

Test(agree, short_before_registers, .disabled = WATCHED)
{
	all_short((const uint8_t[]){0xc1, 0x84, 0x25, 0x90, 0x48}, 5, false, "three bytes, then c1 84 25 90 48");
}

Test(agree, short_before_addresses, .disabled = WATCHED)
{
	all_short((const uint8_t[]){0x44, 0x8e, 0x80, 0x7f, 0x05}, 5, false, "three bytes, then 44 8e 80 7f 05");
}

/* All bits of a VEX prefix of three bytes and all opcodes before a tail; the rows that are encoded so must come up. */
static void all_vex(const uint8_t *tail, size_t n, const char *what)
{
	struct judges j = judges_new();
	uint8_t bytes[ROOM] = {0xc4};

	for (size_t i = 4; i < ROOM; i++)
		bytes[i] = tail[(i - 4) % n];
	for (uint32_t code = 0; code < 1 << 24; code++) {
		struct wv_insn insn;

		bytes[1] = (uint8_t)(code >> 16);
		bytes[2] = (uint8_t)(code >> 8);
		bytes[3] = (uint8_t)code;
		if (decode(&j, bytes, &insn))
			judge(&j, bytes, &insn);
	}
	for (unsigned op = WV_ANDN; op <= WV_SHRX; op++) /* the opcode of three of them is made whole by the tail */
		cr_assert(j.seen[op] || (op >= WV_BLSI && op <= WV_BLSR), "row %u never came up", op);
	conclude(&j, what);
}

Test(agree, vex_before_registers, .disabled = WATCHED)
{
	all_vex((const uint8_t[]){0xd9, 0x84, 0x25, 0x90, 0x48}, 5, "VEX, opcode, then d9 84 25 90 48");
}

Test(agree, vex_before_addresses)
{
	all_vex((const uint8_t[]){0x4c, 0x8e, 0x80, 0x7f, 0x05}, 5, "VEX, opcode, then 4c 8e 80 7f 05");
}

Test(agree, vex_before_relative, .disabled = WATCHED)
{
	all_vex((const uint8_t[]){0x15, 0xff, 0x80, 0x7f, 0x05}, 5, "VEX, opcode, then 15 ff 80 7f 05");
}

/*
 * All opcodes and ModRM bytes after 0f, behind each prefix that may be part of an opcode and each REX, before a tail:
 * all rows with xmm registers come up.
 */
static void all_vector(const uint8_t *tail, size_t n, const char *what)
{
	static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
	struct judges j = judges_new();

	for (uint32_t code = 0; code < 4 * 17 << 16; code++) {
		uint8_t bytes[ROOM], prefix = prefixes[code >> 16 & 3],
				     rex = code >> 18 ? (uint8_t)(0x3f + (code >> 18)) : 0;
		struct wv_insn insn;
		unsigned at = 0;

		if (prefix)
			bytes[at++] = prefix;
		if (rex)
			bytes[at++] = rex;
		bytes[at++] = 0x0f;
		bytes[at++] = (uint8_t)(code >> 8);
		bytes[at++] = (uint8_t)code;
		for (unsigned i = 0; at < ROOM; i++)
			bytes[at++] = tail[i % n];
		if (decode(&j, bytes, &insn) && wv_op_is_vector(insn.op))
			judge(&j, bytes, &insn);
	}
	for (unsigned op = 0; op < WV_OP_COUNT; op++)
		cr_assert(j.seen[op] || !wv_op_is_vector(op), "row %u never came up", op);
	conclude(&j, what);
}

Test(agree, vector_before_registers, .disabled = WATCHED)
{
	all_vector((const uint8_t[]){0xd9, 0x84, 0x25, 0x90, 0x48}, 5,
		"prefix, REX, 0f, opcode, ModRM, then d9 84 25 90 48");
}

Test(agree, vector_before_addresses)
{
	all_vector((const uint8_t[]){0x4c, 0x8e, 0x80, 0x7f, 0x05}, 5,
		"prefix, REX, 0f, opcode, ModRM, then 4c 8e 80 7f 05");
}

static void random_long(bool shaped, unsigned rounds, const char *what)
{
	static const uint8_t prefixes[] = {
		0x66, 0x2e, 0xf3, 0xf2, 0x48, 0x41, 0x4c, 0x49, 0x45, 0x67, 0x40, 0x4f, 0xf0, 0xc4};
	struct judges j = judges_new();
	uint64_t random = 0x2545f4914f6cdd1d;

	for (unsigned i = 0; i < rounds; i++) {
		uint8_t bytes[ROOM];
		struct wv_insn insn;
		unsigned at = 0;

		for (unsigned k = 0; k < ROOM; k += 8)
			memcpy(bytes + k, &(uint64_t){encodings_random(&random)}, 8);
		if (shaped) {
			for (uint64_t n = encodings_random(&random) % 4; n; n--)
				bytes[at++] = prefixes[encodings_random(&random) % sizeof prefixes];
			if (encodings_random(&random) & 1)
				bytes[at++] = 0x0f;
		}
		if (decode(&j, bytes, &insn) >= 4)
			judge(&j, bytes, &insn);
	}
	conclude(&j, what);
}

Test(agree, random_bytes)
{
	random_long(false, 2000000, "random bytes of four and more");
}

Test(agree, random_with_prefixes)
{
	random_long(true, 2000000, "random bytes after prefixes");
}

/* Encodings of each line of opcode.def; every row must come up. */
static void judge_encoding(void *user, const struct opcode_line *l, const uint8_t bytes[ROOM], bool memory)
{
	struct judges *j = user;
	struct wv_insn insn;

	(void)l;
	(void)memory;
	if (decode(j, bytes, &insn))
		judge(j, bytes, &insn);
}

Test(agree, encodings_of_every_line)
{
	struct judges j = judges_new();
	uint64_t random = 0x2545f4914f6cdd1d;

	for (unsigned i = 0; i < 4; i++)
		encodings_each(&random, judge_encoding, &j);
	for (unsigned op = 0; op < WV_OP_COUNT; op++)
		cr_assert(j.seen[op], "row %u never came up", op);
	conclude(&j, "encodings of each line of opcode.def");
}
