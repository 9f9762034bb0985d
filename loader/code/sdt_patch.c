/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of a static tracepoint become the jump.
 *
 * A tracepoint is in the middle of code, where everything is live: the flags, and the bytes below rsp that a leaf
 * function may use. The stub preserves these (stub.c).
 *
 * The nop of sys/sdt.h has one byte, that of ward/tracepoint.h five; libbpf's usdt.h has one of one byte, then one of
 * ten. A long nop is replaced. With a short nop, instructions beside it are displaced, as at a function's entry, so
 * no jump may lead among them. Ward checks these paths:
 *
 * - direct jumps of the code itself, which is decoded from end to end;
 * - places whose address the code takes, and those where the exception table has handlers;
 * - jump tables: all words that follow an address that the code mentions, as long as they lead to code, read both as
 *   distances and as addresses. Code elsewhere that jumps here may be a part of the function that the compiler split
 *   off; its tables are read as well;
 * - jumps from other code, which are searched for all patches at once (inbound_jumps.c).
 *
 * The bytes from the nop on are tried first; then those that begin one or more instructions before it. A call isn't
 * displaced. If a call follows right behind the nop, it is redirected to the stub, which sees what the nop would have
 * seen. The last choice is two bytes: a short jump to padding behind the function.
 *
 * Any other instruction can be patched in the same way. No note says that one begins there, so the paths through the
 * function must show it (cfg.c): a patch in the middle of an instruction would change what the program does.
 */
#include "sdt_patch.h"

#include "loader/symbols/unwind.h"
#include "cfg.h"
#include "inbound_jumps.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

enum { TABLE_MAX = 1024, KIN_MAX = 1 << 20 };

static const char NO_ROOM[] = "there is no room for a jump: code that is jumped to, or a call, is too near";

static const char NO_INSN[] = "no instruction begins there";

struct looking {
	const struct wl_function *f;
	const struct wl_process *p;
	ZydisDecoder decoder;
	uint8_t *length; /* by offset: of the instruction that begins there, or 0 */
	bool *target;    /* by offset: a jump may lead there */
	bool *fixed;     /* by offset: the instruction that begins there can't be displaced */
};

static bool insn_decode(
	const struct looking *l, const uint8_t *code, size_t n, ZydisDecodedInstruction *z, ZydisDecodedOperand *ops)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&l->decoder, code, n, z, ops));
}

static void target_mark(struct looking *l, uint64_t address)
{
	if (address >= l->f->addr && address - l->f->addr < l->f->size)
		l->target[address - l->f->addr] = true;
}

/*
 * What may be a table at the address: entries up to the first that leads to no code. What only looks like one does no
 * harm.
 */
static void read_table(struct looking *l, uint64_t base, bool absolute, uint64_t lo, uint64_t hi)
{
	union {
		int32_t distance[TABLE_MAX];
		uint64_t address[TABLE_MAX / 2];
	} t;
	size_t n = wl_process_read_some(l->p, base, &t, sizeof(t)) / (absolute ? 8 : 4);

	for (size_t i = 0; i < n; i++) {
		uint64_t target = absolute ? t.address[i] : base + (uint64_t)(int64_t)t.distance[i];

		if ((target < lo || target >= hi) && (target < l->f->addr || target - l->f->addr >= l->f->size))
			break;
		target_mark(l, target);
	}
}

/* What one instruction of the code, or of its kin, may lead to. [lo, hi): the piece of code that it is of. */
static void look_at(struct looking *l, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops, uint64_t next,
	bool tables, uint64_t lo, uint64_t hi)
{
	bool relative = z->attributes & ZYDIS_ATTRIB_IS_RELATIVE;

	for (unsigned i = 0; i < z->operand_count_visible; i++)
		if (ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			target_mark(l, ops[i].imm.is_relative ? next + ops[i].imm.value.u : ops[i].imm.value.u);
	if (z->raw.disp.size != 32)
		return;
	if (relative && z->mnemonic == ZYDIS_MNEMONIC_LEA) {
		uint64_t address = next + (uint64_t)z->raw.disp.value;

		target_mark(l, address);
		if (tables) {
			read_table(l, address, false, lo, hi);
			read_table(l, address, true, lo, hi);
		}
	} else if (!relative && z->raw.disp.value > 0 && tables) {
		read_table(l, (uint64_t)z->raw.disp.value, true, lo, hi);
	}
}

static bool is_indirect_jump(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_JMP && !z->raw.imm[0].is_relative;
}

/* All instructions of a piece of code. False if it can't be decoded to its end. */
static bool look_through(struct looking *l, const uint8_t *code, uint64_t addr, size_t size, size_t available, bool own)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	bool tables = false;

	for (size_t at = 0; at < size; at += z.length) {
		if (!insn_decode(l, code + at, available - at, &z, ops))
			return false;
		tables |= is_indirect_jump(&z);
	}
	for (size_t at = 0; at < size; at += z.length) {
		if (!insn_decode(l, code + at, available - at, &z, ops))
			return false;
		look_at(l, &z, ops, addr + at + z.length, tables, addr, addr + size);
		if (!own)
			continue;
		l->length[at] = z.length;
		l->fixed[at] = z.meta.category == ZYDIS_CATEGORY_CALL || z.mnemonic == ZYDIS_MNEMONIC_INT3 ||
			       z.mnemonic == ZYDIS_MNEMONIC_XBEGIN || z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
		if (z.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
			target_mark(l, addr + at); /* it is there to be jumped to */
	}
	return true;
}

static const char *look_at_kin(struct looking *l, const struct wl_kin *kin)
{
	size_t size = (size_t)(kin->end - kin->start);
	uint8_t *code = size <= KIN_MAX ? malloc(size) : NULL;
	const char *why = "code that jumps into the function can't be analysed";

	if (code && wl_process_read(l->p, kin->start, code, size) &&
		look_through(l, code, kin->start, size, size, false))
		why = NULL;
	free(code);
	return why;
}

/* ---- choosing the bytes ---- */

static bool in_one_page(uint64_t addr, size_t n)
{
	return addr / 4096 == (addr + n - 1) / 4096;
}

/* Whole instructions from `first` on, that hold the nop, as many as make `want` bytes. */
static bool take_window(const struct looking *l, size_t first, size_t nop, size_t want, struct wl_displaced *d)
{
	const struct wl_function *f = l->f;
	size_t at = first;

	*d = (struct wl_displaced){.addr = f->addr + first, .is_point = true};
	while (at - first < want || at <= nop) {
		if (at >= f->size || d->n_insns == WL_DISPLACED_INSNS || !l->length[at] || l->fixed[at] ||
			at + l->length[at] > f->size || at + l->length[at] - first > WL_DISPLACED_MAX ||
			(at != first && l->target[at]))
			return false;
		if (at == nop)
			d->exits = (uint8_t)(1u << d->n_insns);
		d->at[d->n_insns++] = (uint8_t)(at - first);
		at += l->length[at];
	}
	for (size_t o = first + 1; o < at; o++)
		if (l->target[o])
			return false; /* into the middle of an instruction, if at all */
	d->len = (uint8_t)(at - first);
	memcpy(d->bytes, f->code + first, d->len);
	return d->exits && in_one_page(d->addr, want);
}

/*
 * A long nop right behind the short one, as libbpf's usdt.h writes it since 2026: the short one is there for
 * breakpoints, the long one for a jump. Ours replaces the long one alone, so a uprobe finds the short one as it was.
 */
static bool take_long(const struct looking *l, size_t nop, struct wl_displaced *d)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	size_t at = nop + l->length[nop];

	if (l->length[nop] >= WL_JUMP_SIZE || at >= l->f->size || l->length[at] < WL_JUMP_SIZE || l->target[at])
		return false;
	return insn_decode(l, l->f->code + at, l->f->available - at, &z, ops) && z.mnemonic == ZYDIS_MNEMONIC_NOP &&
	       take_window(l, at, at, WL_JUMP_SIZE, d);
}

/* From the nop on, or else from instructions before it. */
static bool find_window(const struct looking *l, size_t nop, size_t want, struct wl_displaced *d)
{
	for (size_t back = 0; back <= WL_DISPLACED_MAX && back <= nop; back++)
		if (l->length[nop - back] && take_window(l, nop - back, nop, want, d))
			return true;
	return false;
}

/* A call at the place, or right behind the nop. */
static bool take_call(const struct looking *l, size_t nop, bool is_nop, struct wl_displaced *d)
{
	const struct wl_function *f = l->f;
	size_t at = is_nop ? nop + l->length[nop] : nop;
	int32_t distance;

	if (at >= f->size || f->size - at < WL_JUMP_SIZE || l->length[at] != WL_JUMP_SIZE || f->code[at] != 0xe8 ||
		(is_nop && l->target[at]) || !in_one_page(f->addr + at, WL_JUMP_SIZE))
		return false;
	for (size_t o = at + 1; o < at + WL_JUMP_SIZE; o++)
		if (l->target[o])
			return false;
	memcpy(&distance, f->code + at + 1, 4);
	*d = (struct wl_displaced){.addr = f->addr + at,
		.is_call = true,
		.call_target = f->addr + at + WL_JUMP_SIZE + (uint64_t)(int64_t)distance,
		.depth = 8, /* it has pushed its return address */
		.len = WL_JUMP_SIZE};
	memcpy(d->bytes, f->code + at, WL_JUMP_SIZE);
	return true;
}

/* Two bytes, and five of the padding that stands between the function and the next multiple of 16. */
static bool take_cave(const struct looking *l, size_t nop, struct wl_displaced *d)
{
	const struct wl_function *f = l->f;
	size_t room = -(f->addr + f->size) & 15, from;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	int64_t distance;

	if (room < WL_JUMP_SIZE || f->size + room + ZYDIS_MAX_INSTRUCTION_LENGTH > f->available ||
		!in_one_page(f->addr + f->size, WL_JUMP_SIZE))
		return false;
	for (size_t at = 0; at < room; at += z.length)
		if (!insn_decode(l, f->code + f->size + at, f->available - f->size - at, &z, ops) ||
			at + z.length > room || (z.mnemonic != ZYDIS_MNEMONIC_NOP && z.mnemonic != ZYDIS_MNEMONIC_INT3))
			return false;
	if (!find_window(l, nop, WL_SHORT_SIZE, d))
		return false;
	from = d->addr - f->addr + WL_SHORT_SIZE;
	distance = (int64_t)f->size - (int64_t)from;
	if (distance > INT8_MAX)
		return false;
	d->cave = f->addr + f->size;
	memcpy(d->cave_bytes, f->code + f->size, WL_JUMP_SIZE);
	return true;
}

/* Does a path through the function lead to an instruction there? NULL, or why that isn't known. */
static const char *insn_prove(const struct looking *l, size_t at)
{
	struct wl_parts parts = {0};
	struct body b = {.f = l->f, .p = l->p, .parts = &parts};
	const char *why = wl_flow_read(&b);

	if (!why && (!b.index[at] || !b.v[b.index[at] - 1].reached))
		why = b.index[at] ? "no path through the function is known to lead there" : NO_INSN;
	if (!why && b.v[b.index[at] - 1].guessed)
		why = "no path through the function is known to lead there";
	wl_flow_free(&b);
	return why;
}

static const char *patch_choose(
	struct looking *l, size_t nop, bool any, const struct wl_kin *kin, size_t n_kin, struct wl_displaced *d)
{
	const struct wl_function *f = l->f;
	const char *why = NULL;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;

	if (!look_through(l, f->code, f->addr, f->size, f->available, true))
		return "the code around it can't be decoded to its end, so a jump into the bytes to be patched can't "
		       "be "
		       "ruled out";
	for (size_t i = 0; i < n_kin && !why; i++)
		why = look_at_kin(l, &kin[i]);
	if (why)
		return why;
	if (f->frames && !wl_frames_handlers(l->p, f->frames, f->addr, f->size, l->target))
		return "exception handlers can't be known there";
	if (!l->length[nop] || !insn_decode(l, f->code + nop, f->available - nop, &z, ops))
		return NO_INSN;
	if (z.mnemonic != ZYDIS_MNEMONIC_NOP && !any)
		return "there is no nop there";
	why = any ? insn_prove(l, nop) : NULL;
	if (why)
		return why;
	if ((!any && take_long(l, nop, d)) || find_window(l, nop, WL_JUMP_SIZE, d) || take_call(l, nop, !any, d) ||
		take_cave(l, nop, d))
		return NULL;
	return NO_ROOM;
}

const char *wl_point_place(const struct wl_function *f, size_t nop, bool any, const struct wl_kin *kin, size_t n_kin,
	const struct wl_process *p, struct wl_displaced *d)
{
	struct looking l = {.f = f, .p = p};
	const char *why = "there is no memory to analyse it";

	ZydisDecoderInit(&l.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	l.length = calloc(f->size + 1, sizeof(*l.length));
	l.target = calloc(f->size + ZYDIS_MAX_INSTRUCTION_LENGTH, sizeof(*l.target));
	l.fixed = calloc(f->size + 1, sizeof(*l.fixed));
	if (l.length && l.target && l.fixed)
		why = patch_choose(&l, nop, any, kin, n_kin, d);
	free(l.length);
	free(l.target);
	free(l.fixed);
	return why;
}
