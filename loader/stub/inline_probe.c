/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying a short probe into a stub.
 *
 * Often the call is most of a probe's cost: counting, comparing an argument, or adding to a histogram takes a handful
 * of instructions. A stub then contains a copy of these instead.
 *
 * What is proven of the instructions holds at another address, too, if they do the same there. So none of them
 * depends on its address (none is relative to rip), none calls, and none uses the stack, which has no return address
 * there (no rsp, named or implicit). They are copied byte by byte, with two changes. A jump, which may only lead
 * forward to another of these instructions, gets the distance that it needs in the copy. A return leads behind the
 * last instruction: at the end it is omitted, elsewhere it becomes a jump. So each path through the copy is a path
 * through the verified code.
 *
 * The stub keeps its row in r10, and needs r11 back. Otherwise it does the same for these instructions as for a
 * called probe: it marks the slot, saves what they clobber, and passes the event and the state if they read rdi and
 * rsi.
 *
 * Zydis says what each instruction reads and writes, including implicit operands. If that isn't known, or an
 * instruction can't be decoded, the stub calls the probe.
 */
#include "inline_probe.h"

#include <Zydis/Zydis.h>
#include <string.h>

enum { INSNS = 24, SHORT_JUMP = 2 };

enum kind { PLAIN, JUMP, RETURN };

struct insn {
	uint8_t at, len, kind;
	uint8_t opcode;   /* JUMP: of its short form */
	uint8_t target;   /* JUMP: offset in the code */
	uint8_t to, size; /* in the copy */
};

struct body {
	struct insn v[INSNS];
	unsigned n;
	size_t furthest; /* target of a jump */
};

/* Note a register; false if the code can't be moved with it. */
static bool note_register(struct wl_inplace *in, ZydisRegister r)
{
	switch (r == ZYDIS_REGISTER_NONE ? r : ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r)) {
	case ZYDIS_REGISTER_RSP:
	case ZYDIS_REGISTER_RIP:
	case ZYDIS_REGISTER_R10:
	case ZYDIS_REGISTER_R11: return false;
	case ZYDIS_REGISTER_RDI: in->event = true; return true;
	case ZYDIS_REGISTER_RSI: in->state = true; return true;
	default: return true;
	}
}

static bool note_operands(struct wl_inplace *in, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops)
{
	for (unsigned i = 0; i < z->operand_count; i++) {
		const ZydisDecodedOperand *o = &ops[i];

		if (o->type == ZYDIS_OPERAND_TYPE_POINTER)
			return false;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && !note_register(in, o->reg.value))
			return false;
		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			(!note_register(in, o->mem.base) || !note_register(in, o->mem.index)))
			return false;
	}
	return true;
}

static bool is_plain(const ZydisDecodedInstruction *z)
{
	return z->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE && !(z->attributes & ZYDIS_ATTRIB_IS_RELATIVE) &&
	       z->meta.category != ZYDIS_CATEGORY_SYSCALL && z->meta.category != ZYDIS_CATEGORY_INTERRUPT;
}

/* Forms that there are: jcc and jmp by 8 or 32 bits. */
static bool is_direct_jump(const ZydisDecodedInstruction *z, uint8_t *opcode)
{
	bool one = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT, two = z->opcode_map == ZYDIS_OPCODE_MAP_0F, conditional;

	if (z->meta.category != ZYDIS_CATEGORY_COND_BR && z->meta.category != ZYDIS_CATEGORY_UNCOND_BR)
		return false;
	conditional = (one && (z->opcode & 0xf0) == 0x70) || (two && (z->opcode & 0xf0) == 0x80);
	if (!conditional && !(one && (z->opcode == 0xeb || z->opcode == 0xe9)))
		return false;
	*opcode = conditional ? 0x70 | (z->opcode & 0x0f) : 0xeb;
	return z->raw.imm[0].is_relative;
}

/* Add an instruction. False if it can't be moved. */
static bool insn_add(struct body *b, struct wl_inplace *in, size_t at, const ZydisDecodedInstruction *z,
	const ZydisDecodedOperand *ops)
{
	struct insn *i = &b->v[b->n++];
	int64_t distance = z->raw.imm[0].value.s;
	size_t next = at + z->length;

	*i = (struct insn){.at = (uint8_t)at, .len = z->length, .kind = PLAIN, .size = z->length};
	if (z->mnemonic == ZYDIS_MNEMONIC_RET && z->length == 1) {
		i->kind = RETURN;
		i->size = SHORT_JUMP;
		return true;
	}
	if (!is_direct_jump(z, &i->opcode))
		return is_plain(z) && note_operands(in, z, ops);
	if (distance < 0 || distance > WL_INPLACE_MAX)
		return false;
	i->kind = JUMP;
	i->size = SHORT_JUMP;
	i->target = (uint8_t)(next + (size_t)distance);
	b->furthest = i->target > b->furthest ? i->target : b->furthest;
	return true;
}

/* Up to the return behind which nothing leads. */
static bool read_body(struct body *b, struct wl_inplace *in, const uint8_t *code, size_t available)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; b->n < INSNS && at <= 2 * WL_INPLACE_MAX && at < available; at += z.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, available - at, &z, ops)) ||
			!insn_add(b, in, at, &z, ops))
			return false;
		if (b->v[b->n - 1].kind == RETURN && b->furthest <= at) {
			b->v[b->n - 1].size = 0;
			return true;
		}
	}
	return false;
}

/* The position of an instruction of the code in the copy. */
static bool insn_find(const struct body *b, uint8_t at, uint8_t *to)
{
	for (unsigned i = 0; i < b->n; i++) {
		if (b->v[i].at != at)
			continue;
		*to = b->v[i].to;
		return true;
	}
	return false;
}

static bool code_copy(struct body *b, struct wl_inplace *in, const uint8_t *code)
{
	size_t len = 0;

	for (unsigned i = 0; i < b->n; i++) {
		b->v[i].to = (uint8_t)len;
		len += b->v[i].size;
	}
	if (len > WL_INPLACE_MAX)
		return false;
	in->len = (uint8_t)len;
	for (unsigned i = 0; i < b->n; i++) {
		const struct insn *v = &b->v[i];
		uint8_t *p = in->code + v->to, target = in->len;

		if (v->kind == PLAIN) {
			memcpy(p, code + v->at, v->len);
			continue;
		}
		if (v->kind == JUMP && !insn_find(b, v->target, &target))
			return false;
		if (v->size == 0)
			continue;
		p[0] = v->kind == JUMP ? v->opcode : 0xeb;
		p[1] = (uint8_t)(target - (v->to + SHORT_JUMP));
	}
	return true;
}

struct wl_inplace wl_inplace_look(const uint8_t *code, size_t available)
{
	struct wl_inplace in = {0};
	struct body b = {0};

	in.fits = read_body(&b, &in, code, available) && code_copy(&b, &in, code);
	return in;
}
