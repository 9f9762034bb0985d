/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control flow of a function, and its exits.
 *
 * A return probe runs right before the function gives control back: before each `ret`, and before each jump that
 * leaves the function for another one (a tail call). A probe that misses an exit misses returns, and one that takes
 * something else for an exit reports returns that don't happen. So Ward understands a function completely, or refuses
 * it with a reason:
 *
 * - Every byte is decoded, in the order of addresses, and every direct jump leads to the beginning of an instruction.
 *   So what is decoded is what the processor executes.
 * - A switch jumps to the entries of its table. The comparison before the jump says how many entries the table has,
 *   and all must lead into the function. inbound_jumps.c describes how tables are found. A function is refused if its
 *   code mentions an address of its own code (a computed goto without a table).
 * - The depth of the stack is tracked along all paths. A jump out of the function is a tail call if the frame is gone
 *   (depth 0). Otherwise it leads to a part of the function that the compiler split off. The unwind tables say where
 *   that part begins and ends. The part must have no exit, and where it jumps back, it must jump to the beginning of
 *   an instruction. The tables may lie. Therefore all code that they assign to a part is decoded, jumps into it must
 *   lead to the beginning of an instruction, and it must not run past its end. So wrong tables can at most cause a
 *   refusal. An indirect jump without a frame is a tail call, unless it may be a switch's.
 * - The unwinder enters exception handlers with the stack as deep as it is at calls. The exception table says where
 *   they are. All must be in the function itself, or it is refused. So the unwinder never enters displaced bytes.
 * - Other code that no path reaches is followed like a handler. If it has an exit, the function is refused, because
 *   it may as well be data.
 *
 * The target of a jump without a frame may still be a split part, which comes back. The caller looks for jumps from
 * there into the function.
 *
 * A call is assumed to return. One that doesn't (abort) is often the last instruction, or another block follows whose
 * depth its own jumps give. Therefore the paths behind calls are followed last.
 */
#include "cfg.h"

#include <stdlib.h>

enum {
	TABLE_MAX = 1024,
	LOOK_BACK = 32, /* instructions between a switch's comparison and its jump */
	DEPTH_MAX = 1 << 28,
};

struct decoded {
	ZydisDecodedInstruction z;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode_at(const struct body *b, size_t at, struct decoded *d)
{
	return at < b->f->available &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&b->decoder, b->f->code + at, b->f->available - at, &d->z, d->ops));
}

static bool is_inside(const struct body *b, uint64_t addr)
{
	return addr > b->f->addr && addr - b->f->addr < b->f->size;
}

/* ---- one instruction ---- */

static bool is_reg(const ZydisDecodedOperand *op, ZydisRegister reg)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == reg;
}

static bool writes_register(const struct decoded *d, ZydisRegister reg)
{
	for (unsigned i = 0; i < d->z.operand_count; i++)
		if (d->ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			(d->ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
			ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, d->ops[i].reg.value) == reg)
			return true;
	return false;
}

static void set_effect(struct step *s, enum effect effect, int64_t change)
{
	s->effect = effect;
	s->change = (int32_t)change;
	if (change < -DEPTH_MAX || change > DEPTH_MAX)
		s->effect = LOST;
}

/* Instructions that access memory that is neither the stack nor at a fixed address, and divisions. */
static bool may_fault(const struct decoded *d)
{
	if (d->z.mnemonic == ZYDIS_MNEMONIC_DIV || d->z.mnemonic == ZYDIS_MNEMONIC_IDIV)
		return true;
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->ops[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
			((op->mem.base != ZYDIS_REGISTER_RSP && op->mem.base != ZYDIS_REGISTER_RIP) ||
				op->mem.index != ZYDIS_REGISTER_NONE))
			return true;
	}
	return false;
}

/* lea of rsp from rsp or rbp and a constant. */
static bool lea_effect(const struct decoded *d, struct step *s)
{
	const ZydisDecodedOperand *m = &d->ops[1];

	if (d->z.mnemonic != ZYDIS_MNEMONIC_LEA || !is_reg(&d->ops[0], ZYDIS_REGISTER_RSP) ||
		m->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	if (m->mem.base == ZYDIS_REGISTER_RSP)
		set_effect(s, PUSHED, -m->mem.disp.value);
	else if (m->mem.base == ZYDIS_REGISTER_RBP)
		set_effect(s, FROM_FRAME, -m->mem.disp.value);
	else
		return false;
	return true;
}

static void find_effect(const struct decoded *d, struct step *s)
{
	const ZydisDecodedOperand *a = &d->ops[0], *c = &d->ops[1];
	bool rsp = writes_register(d, ZYDIS_REGISTER_RSP), rbp = writes_register(d, ZYDIS_REGISTER_RBP),
	     constant = c->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	int64_t word = d->z.operand_width / 8;

	s->pops_frame = rbp;
	if (d->z.meta.category == ZYDIS_CATEGORY_CALL || d->z.meta.category == ZYDIS_CATEGORY_RET)
		return;
	if (d->z.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		set_effect(s, FROM_FRAME, -8);
	else if (!rsp && rbp && d->z.mnemonic == ZYDIS_MNEMONIC_MOV && is_reg(c, ZYDIS_REGISTER_RSP) &&
		 is_reg(a, ZYDIS_REGISTER_RBP))
		set_effect(s, FRAME_SET, 0);
	else if (!rsp)
		set_effect(s, rbp ? FRAME_LOST : NOTHING, 0);
	else if (d->z.mnemonic == ZYDIS_MNEMONIC_PUSH || d->z.mnemonic == ZYDIS_MNEMONIC_PUSHFQ)
		set_effect(s, PUSHED, word);
	else if ((d->z.mnemonic == ZYDIS_MNEMONIC_POP && !is_reg(a, ZYDIS_REGISTER_RSP)) ||
		 d->z.mnemonic == ZYDIS_MNEMONIC_POPFQ)
		set_effect(s, PUSHED, -word);
	else if (d->z.mnemonic == ZYDIS_MNEMONIC_SUB && is_reg(a, ZYDIS_REGISTER_RSP) && constant)
		set_effect(s, PUSHED, c->imm.value.s);
	else if (d->z.mnemonic == ZYDIS_MNEMONIC_ADD && is_reg(a, ZYDIS_REGISTER_RSP) && constant)
		set_effect(s, PUSHED, -c->imm.value.s);
	else if (d->z.mnemonic == ZYDIS_MNEMONIC_MOV && is_reg(a, ZYDIS_REGISTER_RSP) && is_reg(c, ZYDIS_REGISTER_RBP))
		set_effect(s, FROM_FRAME, 0);
	else if (!lea_effect(d, s))
		set_effect(s, LOST, 0);
}

static const char *find_kind(struct body *b, const struct decoded *d, struct step *s)
{
	const ZydisDecodedInstruction *z = &d->z;
	bool direct = (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE) && z->raw.imm[0].is_relative;
	uint64_t target = direct ? b->f->addr + s->at + z->length + (uint64_t)z->raw.imm[0].value.s : 0;

	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		s->kind = CALL;
		if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return "it contains a far call";
		return direct && is_inside(b, target) ? "it calls a place within itself" : NULL;
	case ZYDIS_CATEGORY_RET:
		s->kind = RET;
		return z->mnemonic != ZYDIS_MNEMONIC_RET || z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR
			       ? "it returns by other means than ret"
			       : NULL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		s->kind = !direct ? INDIRECT : is_inside(b, target) || target == b->f->addr ? JUMP : LEAVE;
		s->target = (uint32_t)(target - b->f->addr);
		return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ? "it contains a far jump" : NULL;
	case ZYDIS_CATEGORY_COND_BR:
		if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN || z->mnemonic == ZYDIS_MNEMONIC_XEND ||
			z->mnemonic == ZYDIS_MNEMONIC_XABORT)
			return "it contains a transaction";
		s->kind = is_inside(b, target) || target == b->f->addr ? BRANCH : LEAVE_IF;
		s->target = (uint32_t)(target - b->f->addr);
		return s->kind == LEAVE_IF && (z->opcode & 0xf0) != 0x70 && (z->opcode & 0xf0) != 0x80
			       ? "jrcxz or loop leaves it"
			       : NULL;
	default: break;
	}
	if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		return "it contains a transaction";
	if (z->mnemonic == ZYDIS_MNEMONIC_UD2 || z->mnemonic == ZYDIS_MNEMONIC_HLT ||
		z->mnemonic == ZYDIS_MNEMONIC_INT3)
		s->kind = STOP;
	else
		s->kind = z->mnemonic == ZYDIS_MNEMONIC_NOP || z->meta.category == ZYDIS_CATEGORY_WIDENOP ? PADDING
													  : PLAIN;
	return NULL;
}

/* Its address is `next` less its length. */
static bool points_inside(const struct body *b, const struct decoded *d, uint64_t next)
{
	for (unsigned i = 0; i < d->z.operand_count_visible; i++)
		if (d->ops[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !d->ops[i].imm.is_relative &&
			is_inside(b, d->ops[i].imm.value.u))
			return true;
	return d->z.mnemonic == ZYDIS_MNEMONIC_LEA && (d->z.attributes & ZYDIS_ATTRIB_IS_RELATIVE) &&
	       is_inside(b, next + (uint64_t)d->z.raw.disp.value);
}

/* Decode everything. */
static const char *body_decode(struct body *b)
{
	struct decoded d;

	for (size_t at = 0; at < b->f->size; at += d.z.length) {
		struct step *s = &b->v[b->n];
		const char *why;

		if (!decode_at(b, at, &d) || at + d.z.length > b->f->size)
			return "its code can't be decoded to the end, so its exits can't be known";
		*s = (struct step){.at = (uint32_t)at, .len = d.z.length};
		why = find_kind(b, &d, s);
		if (why)
			return why;
		if (points_inside(b, &d, b->f->addr + at + d.z.length))
			return "it takes the address of a place within itself, so what jumps there can't be known";
		find_effect(&d, s);
		s->faults = may_fault(&d);
		b->index[at] = (uint32_t)++b->n;
	}
	for (size_t i = 0; i < b->n; i++) {
		struct step *s = &b->v[i];

		if (s->kind != JUMP && s->kind != BRANCH)
			continue;
		b->target[s->target] = true;
		if (!b->index[s->target])
			return "a jump inside the function leads into the middle of an instruction";
		s->target = b->index[s->target] - 1;
	}
	return NULL;
}

/* ---- jump tables ---- */

static const char *read_table(struct body *b, uint64_t base, bool absolute)
{
	union {
		int32_t distance[TABLE_MAX];
		uint64_t address[TABLE_MAX / 2];
	} t;
	size_t n = wl_process_read_some(b->p, base, &t, sizeof(t)) / (absolute ? 8 : 4), i;
	struct table *tables;

	for (i = 0; i < n; i++) {
		uint64_t target = absolute ? t.address[i] : base + (uint64_t)(int64_t)t.distance[i];

		if (!is_inside(b, target))
			break;
		b->target[target - b->f->addr] = true;
		if (i == 0) {
			tables = realloc(b->tables, (b->n_tables + 1) * sizeof(*tables));
			if (!tables)
				return "there is no memory to analyse it";
			b->tables = tables;
			tables[b->n_tables++] = (struct table){base, 0};
		}
		b->tables[b->n_tables - 1].n = i + 1;
	}
	return NULL;
}

/* The table that an instruction refers to, or 0. */
static uint64_t table_of(const struct body *b, const struct step *s, const struct decoded *d, bool *relative)
{
	*relative = d->z.attributes & ZYDIS_ATTRIB_IS_RELATIVE;
	if (d->z.raw.disp.size != 32)
		return 0;
	if (*relative)
		return d->z.mnemonic == ZYDIS_MNEMONIC_LEA ? b->f->addr + s->at + s->len + (uint64_t)d->z.raw.disp.value
							   : 0;
	return d->z.raw.disp.value > 0 ? (uint64_t)d->z.raw.disp.value : 0;
}

static const char *read_tables(struct body *b)
{
	for (size_t i = 0; i < b->n; i++)
		b->switches |= b->v[i].kind == INDIRECT;
	for (size_t i = 0; b->switches && i < b->n; i++) {
		const char *why = NULL;
		struct decoded d;
		bool relative;
		uint64_t base = decode_at(b, b->v[i].at, &d) ? table_of(b, &b->v[i], &d, &relative) : 0;

		if (base && relative)
			why = read_table(b, base, false);
		if (base && !why)
			why = read_table(b, base, true);
		if (why)
			return why;
	}
	return NULL;
}

/* Entries that the jump's table has, by the comparison before it; 0 if not known. */
static uint64_t table_bound(const struct body *b, size_t jump)
{
	uint64_t more = 2; /* than the constant; 2: no branch seen yet */

	for (size_t i = jump; i-- > 0 && jump - i <= LOOK_BACK;) {
		struct decoded d;

		if (!decode_at(b, b->v[i].at, &d))
			break;
		if (d.z.mnemonic == ZYDIS_MNEMONIC_JNBE || d.z.mnemonic == ZYDIS_MNEMONIC_JBE)
			more = 1;
		else if (d.z.mnemonic == ZYDIS_MNEMONIC_JNB || d.z.mnemonic == ZYDIS_MNEMONIC_JB)
			more = 0;
		else if (d.z.mnemonic == ZYDIS_MNEMONIC_CMP && more < 2 &&
			 d.ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && d.ops[1].imm.value.s >= 0)
			return (uint64_t)d.ops[1].imm.value.s + more;
		else if (d.z.mnemonic == ZYDIS_MNEMONIC_AND && d.ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			 d.ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && d.ops[1].imm.value.s > 0)
			return (uint64_t)d.ops[1].imm.value.s + 1;
	}
	return 0;
}

/* A switch's jump: all of its table must have been read. */
static const char *check_switch(const struct body *b, size_t jump)
{
	uint64_t bound = table_bound(b, jump), base = 0;
	size_t n = 0;

	for (size_t i = jump + 1; i-- > 0 && jump - i <= LOOK_BACK && !base;) {
		struct decoded d;
		bool relative;

		if (decode_at(b, b->v[i].at, &d))
			base = table_of(b, &b->v[i], &d, &relative);
	}
	for (size_t i = 0; i < b->n_tables; i++)
		if (b->tables[i].base == base || (!base && b->n_tables == 1))
			n = b->tables[i].n > n ? b->tables[i].n : n;
	if (!n)
		return "an indirect jump has no table that is known";
	if (!bound)
		return "the length of one of its jump tables can't be known";
	return bound <= n ? NULL : "one of its jump tables leads out of the function";
}

/* ---- following control ---- */

static void insn_visit(struct body *b, size_t i)
{
	if (b->v[i].queued)
		return;
	b->v[i].queued = true;
	b->queue[b->n_queue++] = (uint32_t)i;
}

static bool depth_meet(int32_t *known, int32_t now)
{
	if (*known == now || *known == UNKNOWN)
		return false;
	*known = UNKNOWN;
	return true;
}

static void insn_arrive(struct body *b, size_t i, int32_t depth, int32_t frame)
{
	struct step *s = &b->v[i];
	bool met;

	/* with a larger stack: there is no frame, even if that stands behind a call that doesn't return */
	if (b->f->go && i == 0 && s->reached)
		return;
	if (!s->reached) {
		s->reached = true;
		s->guessed = b->guessing;
		s->depth = depth;
		s->frame = frame;
		insn_visit(b, i);
		return;
	}
	met = depth_meet(&s->depth, depth);
	met = depth_meet(&s->frame, frame) || met;
	if (met)
		insn_visit(b, i);
}

static int32_t depth_moved(int32_t depth, int32_t change)
{
	int64_t sum = (int64_t)depth + change;

	return depth == UNKNOWN || sum < -DEPTH_MAX || sum > DEPTH_MAX ? UNKNOWN : (int32_t)sum;
}

static void step_apply(const struct step *s, int32_t *depth, int32_t *frame)
{
	*depth = s->depth;
	*frame = s->frame;
	switch ((enum effect)s->effect) {
	case NOTHING: return;
	case PUSHED: *depth = depth_moved(*depth, s->change); break;
	case LOST: *depth = UNKNOWN; break;
	case FRAME_SET: *frame = *depth; return;
	case FRAME_LOST: *frame = UNKNOWN; return;
	case FROM_FRAME: *depth = depth_moved(*frame, s->change); break;
	}
	if (s->pops_frame)
		*frame = UNKNOWN;
}

/* The register of an ambiguous jump was computed by adding, or loaded with an index, as in a switch. */
static bool made_of_index(const struct body *b, size_t jump)
{
	struct decoded j, d;
	ZydisRegister reg;

	if (!decode_at(b, b->v[jump].at, &j) || j.ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, j.ops[0].reg.value);
	for (size_t i = jump; i-- > 0 && jump - i <= LOOK_BACK && !b->target[b->v[i + 1].at];)
		if (decode_at(b, b->v[i].at, &d) && writes_register(&d, reg))
			return d.z.mnemonic == ZYDIS_MNEMONIC_ADD || (d.ops[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
									     d.ops[1].mem.index != ZYDIS_REGISTER_NONE);
	return false;
}

/* An indirect jump: true if it leaves the function, false if it is a switch's. Or b->why. */
static bool indirect_leaves(struct body *b, size_t i)
{
	const struct step *s = &b->v[i];
	struct decoded d;
	bool memory, indexed;

	if (!decode_at(b, s->at, &d))
		return false;
	memory = d.ops[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	indexed = made_of_index(b, i);
	/* a pointer at a fixed address, as in the procedure linkage table */
	if (memory && d.ops[0].mem.base == ZYDIS_REGISTER_RIP) {
		if (s->depth != 0)
			b->why = "an indirect jump leaves it with its frame in place";
		return true;
	}
	if (s->depth == 0 && !b->n_tables && !indexed && !(memory && d.ops[0].mem.index != ZYDIS_REGISTER_NONE))
		return true;
	if (s->depth == 0 && !indexed && !memory)
		b->why = "an indirect jump may be a switch's or a tail call";
	else
		b->why = check_switch(b, i);
	return false;
}

static void insn_follow(struct body *b, size_t i)
{
	struct step *s = &b->v[i];
	int32_t depth, frame;

	step_apply(s, &depth, &frame);
	if (s->kind == JUMP || s->kind == BRANCH)
		insn_arrive(b, s->target, depth, frame);
	if (s->kind == INDIRECT && !indirect_leaves(b, i) && !b->why)
		for (size_t k = 0; k < b->n; k++)
			if (b->target[b->v[k].at] && b->v[k].at)
				insn_arrive(b, k, depth, frame);
	if (s->kind == RET || s->kind == JUMP || s->kind == LEAVE || s->kind == INDIRECT || s->kind == STOP)
		return;
	if (i + 1 == b->n) {
		if (s->kind != CALL)
			b->why = "it runs on past its end";
		return;
	}
	if (s->kind != CALL) {
		insn_arrive(b, i + 1, depth, frame);
	} else if (!b->v[i + 1].reached) {
		s->late = true;
		b->first_late = i < b->first_late ? i : b->first_late;
	} else if (b->v[i + 1].by_call) {
		insn_arrive(b, i + 1, depth, frame);
	}
}

/* The next call that nothing but its return leads on from. */
static bool follow_late(struct body *b)
{
	for (size_t i = b->first_late; i < b->n; i++) {
		struct step *s = &b->v[i];
		int32_t depth, frame;

		if (!s->late)
			continue;
		s->late = false;
		if (b->v[i + 1].reached)
			continue;
		b->first_late = i + 1;
		b->v[i + 1].by_call = true;
		step_apply(s, &depth, &frame);
		insn_arrive(b, i + 1, depth, frame);
		return true;
	}
	b->first_late = b->n;
	return false;
}

static void follow_queued(struct body *b)
{
	do {
		while (b->n_queue && !b->why) {
			size_t i = b->queue[--b->n_queue];

			b->v[i].queued = false;
			insn_follow(b, i);
		}
	} while (!b->why && follow_late(b));
}

bool wl_flow_padding(const struct body *b, size_t at, size_t *length)
{
	struct decoded d;

	if (!decode_at(b, at, &d))
		return false;
	*length = d.z.length;
	return d.z.mnemonic == ZYDIS_MNEMONIC_NOP || d.z.mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       d.z.meta.category == ZYDIS_CATEGORY_WIDENOP;
}

/* ---- parts that stand elsewhere ---- */

/* The part that the address lies in, or NULL. *begins: where its instructions do. */
static const struct wl_part *part_at(const struct body *b, uint64_t addr, const bool **begins)
{
	for (unsigned i = 0; i < b->parts->n; i++)
		if (addr >= b->parts->v[i].start && addr < b->parts->v[i].end) {
			*begins = b->begins[i];
			return &b->parts->v[i];
		}
	return NULL;
}

/* A direct jump from a part: within it, into another one, or back into the function. */
static const char *go_from_part(struct body *b, uint64_t target)
{
	const bool *begins;
	const struct wl_part *part = part_at(b, target, &begins);
	uint32_t index;

	if (part)
		return begins[target - part->start]
			       ? NULL
			       : "a jump leads into the middle of an instruction of a part that the compiler split off";
	if (!is_inside(b, target))
		return "a part of it that the compiler split off jumps elsewhere";
	b->target[target - b->f->addr] = true;
	index = b->index[target - b->f->addr];
	if (!index)
		return "a jump inside the function leads into the middle of an instruction";
	if (!b->v[index - 1].reached)
		insn_arrive(b, index - 1, UNKNOWN, UNKNOWN);
	return NULL;
}

/* One instruction of a part. */
static const char *look_at_part(struct body *b, const struct decoded *d, uint64_t next)
{
	const ZydisDecodedInstruction *z = &d->z;
	bool direct = (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE) && z->raw.imm[0].is_relative;
	uint64_t target = direct ? next + (uint64_t)z->raw.imm[0].value.s : 0;
	const bool *begins;

	if (points_inside(b, d, next))
		return "a part of it that the compiler split off takes the address of a place within it";
	if (z->mnemonic == ZYDIS_MNEMONIC_XBEGIN)
		return "it contains a transaction";
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_RET: return "a part of it that the compiler split off returns";
	case ZYDIS_CATEGORY_CALL:
		if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return "it contains a far call";
		return direct && (is_inside(b, target) || part_at(b, target, &begins))
			       ? "it calls a place within itself"
			       : NULL;
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
		return direct ? go_from_part(b, target)
			      : "a part of it that the compiler split off has an indirect jump";
	default: return NULL;
	}
}

/* Does control continue behind the instruction? A call at the end of code isn't assumed to return. */
static bool flows_on(const ZydisDecodedInstruction *z)
{
	return z->meta.category != ZYDIS_CATEGORY_UNCOND_BR && z->meta.category != ZYDIS_CATEGORY_RET &&
	       z->meta.category != ZYDIS_CATEGORY_CALL && z->mnemonic != ZYDIS_MNEMONIC_UD2 &&
	       z->mnemonic != ZYDIS_MNEMONIC_HLT && z->mnemonic != ZYDIS_MNEMONIC_INT3;
}

/* Find where its instructions begin, and that it doesn't run past its end. Padding may be its last bytes. */
static const char *sweep_part(const struct body *b, const uint8_t *code, size_t n, bool *begins)
{
	bool flows = true;
	struct decoded d;

	for (size_t at = 0; at < n; at += d.z.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&b->decoder, code + at, n - at, &d.z, d.ops)))
			return "a part of it that the compiler split off can't be decoded";
		begins[at] = true;
		if (d.z.mnemonic != ZYDIS_MNEMONIC_NOP && d.z.meta.category != ZYDIS_CATEGORY_WIDENOP)
			flows = flows_on(&d.z);
	}
	return flows ? "a part of it that the compiler split off runs on past its end" : NULL;
}

/* Handlers of exceptions in a part are followed as part of it. */
static const char *check_part_handlers(const struct body *b, const struct wl_part *part, const bool *begins)
{
	size_t n = (size_t)(part->end - part->start);
	bool *handler = calloc(n, sizeof(*handler)), well;

	if (!handler)
		return "there is no memory to analyse it";
	well = wl_frames_handlers(b->p, b->f->frames, part->start, n, handler);
	for (size_t i = 0; i < n && well; i++)
		well = !handler[i] || begins[i];
	free(handler);
	return well ? NULL : "exception handlers of a part that the compiler split off may be elsewhere";
}

/* Every instruction of a piece of code: if it hasn't any exit, it is no more than a detour. */
static const char *look_at_code(struct body *b, const struct wl_part *part, const uint8_t *code, bool *begins)
{
	size_t n = (size_t)(part->end - part->start);
	const char *why = sweep_part(b, code, n, begins);
	struct decoded d;

	if (!why)
		why = check_part_handlers(b, part, begins);
	for (size_t at = 0; !why && at < n; at += d.z.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&b->decoder, code + at, n - at, &d.z, d.ops)))
			return "a part of it that the compiler split off can't be decoded";
		why = look_at_part(b, &d, part->start + at + d.z.length);
	}
	return why;
}

/* The piece of code that a jump to the address, out of the function, leads into. */
static const char *read_part(struct body *b, uint64_t addr)
{
	enum { PART_MAX = 1 << 16 };
	const bool *known;
	const struct wl_part *part = part_at(b, addr, &known);
	const char *why = "a part of it that the compiler split off can't be read";
	struct wl_part fresh;
	uint8_t *code;
	bool *begins;
	size_t n;

	if (part)
		return go_from_part(b, addr);
	if (b->parts->n == WL_PARTS || !wl_frames_range(b->p, b->f->frames, addr, &fresh.start, &fresh.end) ||
		fresh.end - fresh.start > PART_MAX || (fresh.start < b->f->addr + b->f->size && fresh.end > b->f->addr))
		return "a part of it is elsewhere (the compiler split it off)";
	n = (size_t)(fresh.end - fresh.start);
	code = malloc(n);
	begins = calloc(n, sizeof(*begins));
	b->begins[b->parts->n] = begins;
	b->parts->v[b->parts->n++] = fresh;
	if (code && begins && wl_process_read(b->p, fresh.start, code, n))
		why = look_at_code(b, &fresh, code, begins);
	if (!why)
		why = go_from_part(b, addr);
	free(code);
	return why;
}

/*
 * The depth of the stack at all calls, if it is the same: a handler begins with that. What a Go function calls with no
 * frame yet makes its stack larger; how deep it is there may not be known, as that stands behind calls that don't
 * return.
 */
static int32_t depth_at_calls(const struct body *b)
{
	int32_t depth = UNKNOWN;
	bool any = false;

	for (size_t i = 0; i < b->n; i++) {
		if (b->v[i].kind != CALL || !b->v[i].reached ||
			(b->f->go && (b->v[i].depth == 0 || b->v[i].depth == UNKNOWN)))
			continue;
		if (any && b->v[i].depth != depth)
			return UNKNOWN;
		depth = b->v[i].depth;
		any = true;
	}
	return depth;
}

/* A jump out of the function with its frame in place, or to what is known for a part of it. */
static bool leads_to_part(const struct body *b, size_t i, uint64_t *target)
{
	const struct step *s = &b->v[i];
	const bool *begins;
	struct decoded d;

	if ((s->kind != LEAVE && s->kind != LEAVE_IF) || !s->reached || !decode_at(b, s->at, &d))
		return false;
	*target = b->f->addr + s->at + s->len + (uint64_t)d.z.raw.imm[0].value.s;
	return (s->depth != 0 && s->depth != UNKNOWN) || part_at(b, *target, &begins);
}

/* Does code without a frame, at the address, stay where it is for ever, or call what doesn't return? */
static bool stays_there(
	const struct body *b, const struct wl_part *part, uint64_t addr, const uint8_t *code, bool *begins)
{
	size_t n = (size_t)(part->end - part->start);
	struct decoded d;

	if (sweep_part(b, code, n, begins) || !begins[addr - part->start])
		return false;
	for (size_t at = 0; at < n; at += d.z.length) {
		bool direct;
		uint64_t to;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&b->decoder, code + at, n - at, &d.z, d.ops)))
			return false;
		direct = (d.z.attributes & ZYDIS_ATTRIB_IS_RELATIVE) && d.z.raw.imm[0].is_relative;
		to = direct ? at + d.z.length + (uint64_t)d.z.raw.imm[0].value.s : UINT64_MAX;
		if (d.z.meta.category == ZYDIS_CATEGORY_RET || d.z.mnemonic == ZYDIS_MNEMONIC_XBEGIN)
			return false;
		if ((d.z.meta.category == ZYDIS_CATEGORY_UNCOND_BR || d.z.meta.category == ZYDIS_CATEGORY_COND_BR) &&
			(to >= n || !begins[to]))
			return false;
	}
	return true;
}

/* The same of the piece of code that the tables have there. *budget: bytes that may still be looked at. */
static bool never_returns(const struct body *b, uint64_t addr, size_t *budget)
{
	struct wl_part part;
	uint8_t *code;
	bool *begins, silent;
	size_t n;

	if (!wl_frames_range(b->p, b->f->frames, addr, &part.start, &part.end) || part.end - part.start > *budget ||
		(part.start < b->f->addr + b->f->size && part.end > b->f->addr))
		return false;
	n = (size_t)(part.end - part.start);
	*budget -= n;
	code = malloc(n);
	begins = calloc(n, sizeof(*begins));
	silent = code && begins && wl_process_read(b->p, part.start, code, n) &&
		 stays_there(b, &part, addr, code, begins);
	free(code);
	free(begins);
	return silent;
}

/* Tail calls, as it seems, of what never returns. */
static void find_silent(struct body *b)
{
	size_t budget = 1 << 20;

	for (size_t i = 0; i < b->n && !b->why; i++) {
		uint64_t target;

		if ((b->v[i].kind != LEAVE && b->v[i].kind != LEAVE_IF) || leads_to_part(b, i, &target))
			continue;
		if (b->v[i].reached && b->v[i].depth == 0)
			b->v[i].silent = never_returns(b, target, &budget);
	}
}

/* Until no more are found: a part may come back to where another one is left for. */
static void follow_parts(struct body *b)
{
	unsigned before;

	do {
		before = b->parts->n;
		for (size_t i = 0; i < b->n && !b->why; i++) {
			uint64_t target;

			if (!leads_to_part(b, i, &target))
				continue;
			b->why = read_part(b, target);
			if (!b->why)
				follow_queued(b);
		}
	} while (!b->why && b->parts->n != before);
}

static void follow_all(struct body *b)
{
	size_t length;

	b->first_late = b->n;
	insn_arrive(b, 0, 0, UNKNOWN);
	follow_queued(b);
	follow_parts(b);
	for (size_t i = 0; i < b->n && !b->why; i++) {
		if (!b->handler[b->v[i].at])
			continue;
		insn_arrive(b, i, depth_at_calls(b), UNKNOWN);
		follow_queued(b);
	}
	follow_parts(b);
	/* What isn't reached by now is padding, data, or a handler of some other kind: nothing is patched there. */
	b->guessing = true;
	for (size_t i = 0; i < b->n && !b->why; i++) {
		if (b->v[i].reached || wl_flow_padding(b, b->v[i].at, &length))
			continue;
		insn_arrive(b, i, depth_at_calls(b), UNKNOWN);
		follow_queued(b);
	}
	follow_parts(b);
	find_silent(b);
}

bool wl_flow_exit(struct body *b, size_t i)
{
	uint8_t kind = b->v[i].kind;
	uint64_t target;

	return kind == RET ||
	       ((kind == LEAVE || kind == LEAVE_IF) && !b->v[i].silent && !leads_to_part(b, i, &target)) ||
	       (kind == INDIRECT && b->v[i].reached && indirect_leaves(b, i));
}

/* Where the unwinder goes an instruction must begin. */
static const char *read_handlers(struct body *b)
{
	if (!wl_frames_handlers(b->p, b->f->frames, b->f->addr, b->f->size, b->handler))
		return "its exception handlers may be elsewhere";
	for (size_t i = 0; i < b->f->size; i++)
		if (b->handler[i] && !b->index[i])
			return "an exception handler begins in the middle of an instruction";
	return NULL;
}

static const char *body_understand(struct body *b)
{
	const char *why;

	if (b->f->next_known && b->f->next < b->f->size)
		return "another function begins inside it";
	why = body_decode(b);
	if (!why)
		why = read_handlers(b);
	if (!why)
		why = read_tables(b);
	if (why)
		return why;
	follow_all(b);
	return b->why;
}

const char *wl_flow_read(struct body *b)
{
	const struct wl_function *f = b->f;

	ZydisDecoderInit(&b->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	b->v = malloc((f->size + 1) * sizeof(*b->v));
	b->index = calloc(f->size + 1, sizeof(*b->index));
	b->target = calloc(f->size + ZYDIS_MAX_INSTRUCTION_LENGTH, sizeof(*b->target));
	b->handler = calloc(f->size + ZYDIS_MAX_INSTRUCTION_LENGTH, sizeof(*b->handler));
	b->padding = calloc(f->available + ZYDIS_MAX_INSTRUCTION_LENGTH, sizeof(*b->padding));
	b->queue = malloc((f->size + 1) * sizeof(*b->queue));
	if (!b->v || !b->index || !b->target || !b->handler || !b->padding || !b->queue)
		return "there is no memory to analyse it";
	return f->size ? body_understand(b) : "its symbol has no size, so its exits can't be known";
}

void wl_flow_free(struct body *b)
{
	free(b->v);
	free(b->index);
	free(b->target);
	free(b->handler);
	for (unsigned i = 0; i < b->parts->n; i++)
		free(b->begins[i]);
	free(b->padding);
	free(b->queue);
	free(b->tables);
}
