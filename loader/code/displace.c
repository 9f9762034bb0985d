/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Displacing instructions.
 *
 * A jump to the stub replaces the first five bytes of a site. The whole instructions that these bytes belong to are
 * displaced: copies of them run at the end of the stub, and then the function continues behind them. A copy computes
 * the same as the original at its old address:
 *
 * - an operand relative to rip gets a new displacement;
 * - a direct jump gets the form with a displacement of 32 bits, to the same target. jrcxz and loop have no such form,
 *   so they jump over a jump;
 * - an exit (exits.c) is preceded by what the return probe needs;
 * - all other instructions are position-independent.
 *
 * A displaced call would push a return address inside the stub. Unwinders would stop there, and the stub could never
 * be unmapped safely. So if a call is among the first five bytes, after pushes and other instructions that leave the
 * arguments alone, the call itself is changed: it calls the stub, which ends with a jump to the called function.
 * Nothing is displaced, and the return address stays the same. Functions that are compiled for a profiler (-pg,
 * -mfentry) begin so. Their calls have six bytes, of which the patch changes the last five:
 *
 *	67 e8 rel32     addr32 call function     what a linker makes of the next one: leads to the stub instead
 *	ff 15 rel32     call *slot(%rip)         goes through a slot of ours, which has the stub's address
 *
 * In the second case the stub ends with a jump through the function's own slot.
 *
 * A patch is unsafe if a jump leads into the displaced bytes behind the first. So the function is decoded from end to
 * end, and every direct jump is checked. The callers check indirect jumps through tables, because site checks read
 * the tables. A jump back to the very first byte is refused too, since each turn of that loop would count as a call.
 */
#include "displace.h"

#include "loader/process/go.h"

#include <Zydis/Zydis.h>

struct insn {
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
};

static void decoder_init(ZydisDecoder *decoder)
{
	ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static bool insn_decode(const ZydisDecoder *decoder, const struct wl_function *f, size_t offset, struct insn *insn)
{
	return offset < f->available && ZYAN_SUCCESS(ZydisDecoderDecodeFull(
						decoder, f->code + offset, f->available - offset, &insn->z, insn->ops));
}

/* A direct jump or call: its target, as an offset from the function's start. */
static bool direct_target(const ZydisDecodedInstruction *z, size_t offset, int64_t *target)
{
	if (!(z->attributes & ZYDIS_ATTRIB_IS_RELATIVE) || !z->raw.imm[0].is_relative)
		return false;
	*target = (int64_t)(offset + z->length) + z->raw.imm[0].value.s;
	return true;
}

static bool is_direct_call(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_CALL && z->raw.imm[0].is_relative;
}

static bool is_padding(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_NOP || z->mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       z->meta.category == ZYDIS_CATEGORY_WIDENOP;
}

/*
 * The same bytes are patched of all calls that can be redirected: an opcode and a displacement. Returns how many bytes
 * of the call are before them, or -1 if it is another one.
 */
static int bytes_before_patch(const ZydisDecodedInstruction *z, const uint8_t *code)
{
	enum { ADDRESS_SIZE = 0x67, CALL = 0xe8, GROUP = 0xff, THROUGH_SLOT = 0x15 };

	if (z->length == WL_JUMP_SIZE && code[0] == CALL)
		return 0;
	if (z->length != WL_JUMP_SIZE + 1)
		return -1;
	return (code[0] == ADDRESS_SIZE && code[1] == CALL) || (code[0] == GROUP && code[1] == THROUGH_SLOT) ? 1 : -1;
}

/* Redirect the call at d->len. NULL, or why it can't be. */
static const char *call_redirect(
	const struct wl_function *f, const ZydisDecodedInstruction *z, uint32_t depth, struct wl_displaced *d)
{
	const uint8_t *code = f->code + d->len;
	int before = bytes_before_patch(z, code);
	int32_t distance;

	if (before < 0)
		return is_direct_call(z) ? "there is a call with a prefix in its first five bytes"
					 : "there is an indirect call in its first five bytes";
	d->addr = f->addr + d->len + (unsigned)before;
	memmove(d->bytes, code + before, WL_JUMP_SIZE);
	memcpy(&distance, d->bytes + 1, sizeof(distance));
	d->is_call = true;
	d->by_slot = !is_direct_call(z);
	d->call_target = d->addr + WL_JUMP_SIZE + (uint64_t)(int64_t)distance;
	d->depth = depth + 8; /* the call has pushed its return address */
	d->len = WL_JUMP_SIZE;
	d->n_insns = 0;
	return NULL;
}

/* The number of the whole register that an operand is, or is part of; 16: it is none. */
static unsigned register_of(const ZydisDecodedOperand *op)
{
	ZydisRegister whole = op->type == ZYDIS_OPERAND_TYPE_REGISTER
				      ? ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value)
				      : ZYDIS_REGISTER_NONE;

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (unsigned)(whole - ZYDIS_REGISTER_RAX) : 16;
}

/*
 * Its value at the entry is there from now on: a function saves a register that it must preserve before it changes
 * it.
 */
static void register_save(unsigned r, uint32_t depth, struct wl_displaced *d)
{
	if ((WL_PRESERVED >> r & 1) && !d->saved_at[r] && depth <= UINT8_MAX)
		d->saved_at[r] = (uint8_t)depth;
}

static void register_change(unsigned r, struct wl_displaced *d)
{
	if ((WL_PRESERVED >> r & 1) && d->saved_at[r])
		d->changed |= (uint16_t)(1u << r);
}

/*
 * May this instruction precede a call that is redirected to the stub? The probe then runs after it. So it must not
 * change the arguments, and rsp must stay known. What it does to registers that a function preserves is recorded in
 * *d.
 */
static bool leaves_event_alone(const struct insn *insn, uint32_t *depth, struct wl_displaced *d)
{
	const ZydisDecodedInstruction *z = &insn->z;

	if (z->mnemonic == ZYDIS_MNEMONIC_PUSH && z->operand_width == 64) {
		*depth += 8;
		register_save(register_of(&insn->ops[0]), *depth, d);
		return true;
	}
	if (z->mnemonic == ZYDIS_MNEMONIC_SUB && insn->ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		insn->ops[0].reg.value == ZYDIS_REGISTER_RSP && insn->ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		insn->ops[1].imm.value.s >= 0 && insn->ops[1].imm.value.s < 1 << 20) {
		*depth += (uint32_t)insn->ops[1].imm.value.s;
		return true;
	}
	if (z->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE || z->meta.category == ZYDIS_CATEGORY_SYSCALL)
		return false;
	for (unsigned i = 0; i < z->operand_count; i++) {
		const ZydisDecodedOperand *op = &insn->ops[i];

		if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
			return false; /* it may be the return address, for all we know */
		switch (register_of(op)) {
		case RDI:
		case RSI:
		case RDX:
		case RCX:
		case R8:
		case R9:
		case RSP: return false;
		default: register_change(register_of(op), d);
		}
	}
	return true;
}

/* Can the instruction run elsewhere? NULL, or why not. */
static const char *why_not_movable(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic == ZYDIS_MNEMONIC_INT3)
		return "there is an int3 in its first bytes";
	if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		return "a transaction begins in its first five bytes";
	return NULL;
}

const char wl_too_short[] = "the function is shorter than the five bytes of a jump and has no padding behind it";

/* Take whole instructions until the five bytes are covered; or the whole function, if nothing is free behind it. */
static const char *insns_collect(const ZydisDecoder *decoder, const struct wl_function *f, struct wl_displaced *d)
{
	struct insn insn;
	uint32_t depth = 0;
	bool event_alone = true;

	while (d->len < WL_JUMP_SIZE || (d->len < f->joined && d->n_insns < WL_DISPLACED_INSNS)) {
		const char *why;

		bool known = insn_decode(decoder, f, d->len, &insn);

		if (d->len >= f->size && d->len < WL_JUMP_SIZE && !(known && is_padding(&insn.z))) {
			d->lacks_room = true;
			break;
		}
		if (!known)
			return "its first bytes aren't known instructions";
		if (d->len + insn.z.length > WL_DISPLACED_MAX)
			break;
		if (insn.z.meta.category == ZYDIS_CATEGORY_CALL && d->len < f->size)
			return event_alone ? call_redirect(f, &insn.z, depth, d)
					   : "there is a call in its first five bytes, behind an instruction that "
					     "changes what a probe sees";
		why = d->len < f->size ? why_not_movable(&insn.z) : NULL;
		if (why)
			return why;
		event_alone = event_alone && leaves_event_alone(&insn, &depth, d);
		d->at[d->n_insns++] = d->len;
		memcpy(d->bytes + d->len, f->code + d->len, insn.z.length);
		d->len += insn.z.length;
	}
	d->changed = 0; /* the event is before them */
	if (f->next_known && d->len > f->next && f->next < WL_JUMP_SIZE)
		return "another function begins within the five bytes of a jump";
	return NULL;
}

/* What is displaced of a Go function. */
static const char *take_check(const struct wl_function *f, struct wl_displaced *d)
{
	struct wl_go_check check;
	const char *why = wl_go_find_check(f->code, f->size, &check);

	if (why)
		return why;
	d->behind = true;
	d->len = check.len;
	d->n_insns = check.n;
	memcpy(d->at, check.at, check.n);
	memcpy(d->bytes, f->code, check.len);
	return NULL;
}

/*
 * Decode the body, and see that no jump of it lands in the bytes [1, end) nor goes back to 0, where an event would come
 * again.
 */
static const char *check_body(const ZydisDecoder *decoder, const struct wl_function *f, uint64_t end)
{
	ZydisDecodedInstruction z;

	for (size_t at = 0; at < f->size; at += z.length) {
		int64_t target;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, f->code + at, f->available - at, &z)))
			return "its code can't be decoded to the end, so a jump into its first bytes can't be ruled "
			       "out";
		if (!direct_target(&z, at, &target))
			continue;
		if (target > 0 && (uint64_t)target < end)
			return "a jump inside the function lands in the bytes to be patched";
		if (target == 0 && !f->go && z.meta.category != ZYDIS_CATEGORY_CALL)
			return "a jump inside the function goes back to its first instruction, and would count as a "
			       "call each time";
	}
	return NULL;
}

const char *wl_displace(const struct wl_function *f, struct wl_displaced *d)
{
	ZydisDecoder decoder;
	const char *why;
	uint64_t end;

	memset(d, 0, sizeof(*d));
	d->addr = f->addr;
	decoder_init(&decoder);
	why = f->go ? take_check(f, d) : insns_collect(&decoder, f, d);
	if (why)
		return why;
	if (!d->lacks_room && d->addr / 4096 != (d->addr + WL_JUMP_SIZE - 1) / 4096)
		return "the bytes to be patched cross a page, and can't be written at once";
	/*
	 * A jump to a call that is redirected to the stub would count as a call. So the first byte of the call is
	 * also a byte to which no jump may lead.
	 */
	end = d->is_call ? d->addr - f->addr + 1 : d->len;
	return check_body(&decoder, f, end);
}

/* A copy of an instruction with an operand relative to rip: the same target from the new place. */
static const char *emit_rip_relative(
	struct wl_code *c, const ZydisDecodedInstruction *z, const uint8_t *bytes, uint64_t old)
{
	uint8_t copy[ZYDIS_MAX_INSTRUCTION_LENGTH];
	uint64_t target = old + z->length + (uint64_t)z->raw.disp.value;
	uint64_t end = wl_here(c) + z->length;
	uint32_t d = (uint32_t)(target - end);

	if (z->raw.disp.size != 32 || z->raw.disp.offset + 4u > z->length)
		return "an instruction in its first five bytes has an operand of an unknown form";
	if (!wl_rel32_fits(end, target))
		return "an instruction in its first five bytes refers to memory that is out of reach of the stub";
	memcpy(copy, bytes, z->length);
	memcpy(copy + z->raw.disp.offset, &d, 4);
	wl_bytes(c, copy, z->length);
	return NULL;
}

/* The condition code of a jcc, from its opcode: 70–7f, or 0f 80–8f. */
static unsigned condition_of(const ZydisDecodedInstruction *z)
{
	return z->opcode & 15u;
}

/*
 * An exit, with what is to happen before it. Flags live until a conditional one has jumped, and are dead from there on:
 * the other function doesn't expect them, nor does a caller.
 */
static const char *emit_exit(struct wl_code *c, const ZydisDecodedInstruction *z, const uint8_t *bytes, uint64_t old,
	wl_exit_fn *at_exit, void *arg)
{
	bool direct = (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE) && z->raw.imm[0].is_relative;
	uint64_t target = direct ? old + z->length + (uint64_t)z->raw.imm[0].value.s : 0;
	size_t stays = 0;

	if (z->meta.category == ZYDIS_CATEGORY_COND_BR)
		stays = wl_jcc(c, condition_of(z) ^ 1);
	at_exit(arg, c, z->meta.category != ZYDIS_CATEGORY_RET);
	if (direct && !wl_rel32_fits(wl_here(c) + WL_JUMP_SIZE, target))
		return "one of its exits jumps out of reach of the stub";
	if (direct)
		wl_jmp(c, target);
	else if (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE)
		return emit_rip_relative(c, z, bytes, old);
	else
		wl_bytes(c, bytes, z->length);
	if (z->meta.category == ZYDIS_CATEGORY_COND_BR)
		wl_bind(c, stays);
	return NULL;
}

static const char *emit_direct_jump(
	struct wl_code *c, const ZydisDecodedInstruction *z, const uint8_t *bytes, uint64_t old)
{
	uint64_t target = old + z->length + (uint64_t)z->raw.imm[0].value.s;

	/* From anywhere in the longest form. */
	if (!wl_rel32_fits(wl_here(c) + 9, target) || !wl_rel32_fits(wl_here(c) + 5, target))
		return "a jump in its first five bytes goes out of reach of the stub";
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_JMP: wl_jmp(c, target); return NULL;
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		/* the same with +2, over a jmp +5, to a jmp target */
		wl_bytes(c, bytes, z->length - 1u);
		WL_EMIT(c, 0x02, 0xeb, 0x05);
		wl_jmp(c, target);
		return NULL;
	default: break;
	}
	if (z->meta.category != ZYDIS_CATEGORY_COND_BR)
		return "a jump in its first five bytes has an unknown form";
	wl_jcc_to(c, condition_of(z), target);
	return NULL;
}

/* Go on in another attachment's code; before that, what is to happen before the instruction z, which is run there. */
static const char *go_onward(struct wl_code *c, const struct wl_displaced *d, const ZydisDecodedInstruction *z,
	wl_exit_fn *at_exit, void *arg)
{
	if (z && at_exit && (d->exits & 1u << (d->n_insns - 1)))
		at_exit(arg, c, z->meta.category != ZYDIS_CATEGORY_RET);
	if (!wl_rel32_fits(wl_here(c) + WL_JUMP_SIZE, d->onward))
		return "another tracer's code is out of reach of the stub";
	wl_jmp(c, d->onward);
	return NULL;
}

/* The call has been made as far as its return address: go where it leads. */
static const char *go_to_call(struct wl_code *c, const struct wl_displaced *d)
{
	if (!wl_rel32_fits(wl_here(c) + (d->by_slot ? 6 : 5), d->call_target))
		return "the function called in its first five bytes is out of reach of the stub";
	if (d->by_slot)
		wl_jmp_through(c, d->call_target);
	else
		wl_jmp(c, d->call_target);
	return NULL;
}

const char *wl_displaced_emit(
	struct wl_code *c, struct wl_displaced *d, wl_exit_fn *at_exit, wl_exit_fn *behind, void *arg)
{
	ZydisDecoder decoder;
	size_t start = c->n;

	if (d->is_call)
		return go_to_call(c, d);
	decoder_init(&decoder);
	for (unsigned i = 0; i < d->n_insns; i++) {
		const uint8_t *bytes = d->bytes + d->at[i];
		ZydisDecodedInstruction z;
		const char *why = NULL;

		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, (size_t)(d->len - d->at[i]), &z)))
			return "its first bytes aren't known instructions";
		d->moved_to[i] = (uint16_t)(c->n - start);
		if (d->onward && !d->behind && i + 1 == d->n_insns)
			return go_onward(c, d, &z, at_exit, arg);
		if (at_exit && d->is_point && (d->exits & 1u << i))
			at_exit(arg, c, false);
		if (at_exit && !d->is_point && (d->exits & 1u << i))
			why = emit_exit(c, &z, bytes, d->addr + d->at[i], at_exit, arg);
		else if (!(z.attributes & ZYDIS_ATTRIB_IS_RELATIVE))
			wl_bytes(c, bytes, z.length);
		else if (z.raw.imm[0].is_relative)
			why = emit_direct_jump(c, &z, bytes, d->addr + d->at[i]);
		else
			why = emit_rip_relative(c, &z, bytes, d->addr + d->at[i]);
		if (why)
			return why;
	}
	if (behind)
		behind(arg, c, false);
	if (d->onward)
		return go_onward(c, d, NULL, NULL, NULL);
	if (!wl_rel32_fits(wl_here(c) + 5, d->addr + d->len))
		return "no memory for the stub is within reach of the function";
	wl_jmp(c, d->addr + d->len);
	return NULL;
}
