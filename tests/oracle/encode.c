/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* ---- The table ---- */

/* isa.def's names for what the encoder has under several, or not at all. */
enum {
	ZYDIS_MNEMONIC_JCC = ZYDIS_MNEMONIC_MAX_VALUE + 1,
	ZYDIS_MNEMONIC_SETCC,
	ZYDIS_MNEMONIC_CMOVCC,
	ZYDIS_MNEMONIC_IMUL1,
	ZYDIS_MNEMONIC_JMP_REG,
	ZYDIS_MNEMONIC_STOS,
	ZYDIS_MNEMONIC_MOVS,
	ZYDIS_MNEMONIC_JMP_SLOT,
	ZYDIS_MNEMONIC_CALL_SLOT,
	ZYDIS_MNEMONIC_MOVSDX,
};

enum {
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) id = (bit),
#include "ward/feature.def"
#undef FEATURE
};

static const struct {
	const char *name;
	int mnemonic;
	const char *forms, *widths, *defines, *undefines;
	uint32_t feature;
} rows[] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) \
	{#op, ZYDIS_MNEMONIC_##mnemonic, #forms, #widths, #defines, #undefines, feature},
#include "ward/isa.def"
#undef INSN
};

static const ZydisMnemonic families[3][16] = {
#define FAMILY(x) \
	{ZYDIS_MNEMONIC_##x##O, ZYDIS_MNEMONIC_##x##NO, ZYDIS_MNEMONIC_##x##B, ZYDIS_MNEMONIC_##x##NB, \
		ZYDIS_MNEMONIC_##x##Z, ZYDIS_MNEMONIC_##x##NZ, ZYDIS_MNEMONIC_##x##BE, ZYDIS_MNEMONIC_##x##NBE, \
		ZYDIS_MNEMONIC_##x##S, ZYDIS_MNEMONIC_##x##NS, ZYDIS_MNEMONIC_##x##P, ZYDIS_MNEMONIC_##x##NP, \
		ZYDIS_MNEMONIC_##x##L, ZYDIS_MNEMONIC_##x##NL, ZYDIS_MNEMONIC_##x##LE, ZYDIS_MNEMONIC_##x##NLE}
	FAMILY(J),
	FAMILY(SET),
	FAMILY(CMOV),
};

static size_t add_case(struct insn_case *cases, size_t n, size_t room, struct insn_case c)
{
	if (n >= room) {
		fprintf(stderr, "oracle: more than %zu cases\n", room);
		exit(1);
	}
	cases[n] = c;
	return n + 1;
}

/* A case, and those in which some of the registers of 8 bits are upper ones. */
static size_t add_with_high(struct insn_case *cases, size_t n, size_t room, struct insn_case c)
{
	unsigned could = 0;
	for (unsigned i = 0; c.form[i]; i++)
		could |= (unsigned)(c.form[i] == 'R' && (i == 1 && c.source ? c.source : c.width) == 8) << i;
	bool rex = c.source && c.width == 64; /* which would make ah spl */
	for (c.high = 0; c.high <= could; c.high++) {
		if (!(c.high & ~could) && !(rex && c.high))
			n = add_case(cases, n, room, c);
	}
	return n;
}

/* The cases of one row, form and width. */
static size_t expand(struct insn_case *cases, size_t n, size_t room, struct insn_case c, int mnemonic)
{
	if (mnemonic > ZYDIS_MNEMONIC_MAX_VALUE && mnemonic < ZYDIS_MNEMONIC_IMUL1) {
		for (c.cond = 0; c.cond < 16; c.cond++)
			n = add_with_high(cases, n, room, c);
		return n;
	}
	if (c.op != WV_MOVZX && c.op != WV_MOVSX) {
		c.source = c.op == WV_MOVSXD ? 32 : 0;
		return add_with_high(cases, n, room, c);
	}
	for (c.source = 8; c.source <= 16 && c.source < c.width; c.source *= 2)
		n = add_with_high(cases, n, room, c);
	return n;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; (p = strstr(p, word)); p += n)
		if (p[n] == 0 || p[n] == '|')
			return true;
	return false;
}

size_t insn_cases(struct insn_case *cases, size_t room)
{
	size_t n = 0;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		if (r == WV_JMP_SLOT || r == WV_CALL_SLOT) /* what is behind a slot the processor doesn't know */
			continue;
		char forms[96];
		snprintf(forms, sizeof(forms), "%s", rows[r].forms);
		char *save = NULL;
		for (char *form = strtok_r(forms, "|", &save); form; form = strtok_r(NULL, "|", &save)) {
			for (unsigned width = 8; width <= 128; width *= 2) {
				char word[8];
				snprintf(word, sizeof(word), "W%u", width);
				if (!has_word(rows[r].widths, word))
					continue;
				struct insn_case c = {.op = (enum wv_op)r,
					.name = rows[r].name,
					.width = width,
					.defines = rows[r].defines,
					.undefines = rows[r].undefines,
					.feature = rows[r].feature,
					.lock = form[0] == 'L'};
				/* or it is bsf, which the row allows for but not for the whole of it */
				if (r == WV_TZCNT)
					c.feature = BMI1;
				snprintf(c.form, sizeof(c.form), "%s", form + c.lock);
				n = expand(cases, n, room, c, rows[r].mnemonic);
			}
		}
	}
	return n;
}

bool insn_ends(const struct insn_case *c)
{
	return c->op == WV_JCC || c->op == WV_JMP || c->op == WV_JMP_REG || c->op == WV_CALL || c->op == WV_RET ||
	       c->op == WV_INT3 || c->op == WV_UD2;
}

/* ---- Fixed encodings ---- */

static size_t branch(struct world *w, const struct insn_case *c, uint8_t *bytes, struct wv_insn *meant)
{
	uint64_t insn = (uint64_t)w->native->insn, distance = w->native->taken - insn;
	bool is_short = c->op != WV_CALL && draw_one_in(w->draw, 2);
	size_t n = 0;
	if (c->op == WV_JCC) {
		if (!is_short)
			bytes[n++] = 0x0f;
		bytes[n++] = (uint8_t)((is_short ? 0x70 : 0x80) + c->cond);
	} else {
		bytes[n++] = c->op == WV_CALL ? 0xe8 : is_short ? 0xeb : 0xe9;
	}
	size_t length = n + (is_short ? 1 : 4);
	int32_t relative = (int32_t)(distance - length);
	memcpy(bytes + n, &relative, length - n);
	meant->target = w->native->taken - (uint64_t)w->native->arena;
	return length;
}

/* 0f 1f /0, whose operand is not accessed, be it what it may. */
static size_t long_nop(struct world *w, const struct insn_case *c, uint8_t *bytes)
{
	size_t n = 0;
	if (c->width == 16)
		bytes[n++] = 0x66;
	if (c->width == 64)
		bytes[n++] = 0x48;
	bytes[n++] = 0x0f;
	bytes[n++] = 0x1f;
	unsigned reg = (unsigned)draw_below(w->draw, 8);
	bytes[n++] = (uint8_t)((c->form[0] == 'R' ? 0xc0 : 0x40) | reg);
	if (c->form[0] == 'M' && reg == 4)
		bytes[n++] = (uint8_t)(draw_below(w->draw, 4) << 6 | 1 << 3 | draw_below(w->draw, 8));
	if (c->form[0] == 'M')
		bytes[n++] = (uint8_t)draw_bits(w->draw);
	return n;
}

/* Rows without operands. */
static size_t fixed(const struct insn_case *c, uint8_t *bytes)
{
	static const struct {
		enum wv_op op;
		unsigned width;
		size_t size;
		uint8_t bytes[4];
	} table[] = {{WV_RET, 64, 1, {0xc3}}, {WV_LEAVE, 64, 1, {0xc9}}, {WV_CBW, 16, 2, {0x66, 0x98}},
		{WV_CWD, 16, 2, {0x66, 0x99}}, {WV_STOS, 8, 2, {0xf3, 0xaa}}, {WV_STOS, 32, 2, {0xf3, 0xab}},
		{WV_STOS, 64, 3, {0xf3, 0x48, 0xab}}, {WV_MOVS, 8, 2, {0xf3, 0xa4}}, {WV_MOVS, 32, 2, {0xf3, 0xa5}},
		{WV_MOVS, 64, 3, {0xf3, 0x48, 0xa5}}, {WV_PAUSE, 64, 2, {0xf3, 0x90}}, {WV_RDTSC, 64, 2, {0x0f, 0x31}},
		{WV_RDTSCP, 64, 3, {0x0f, 0x01, 0xf9}}, {WV_CWDE, 32, 1, {0x98}}, {WV_CDQE, 64, 2, {0x48, 0x98}},
		{WV_CDQ, 32, 1, {0x99}}, {WV_CQO, 64, 2, {0x48, 0x99}}, {WV_NOP, 16, 2, {0x66, 0x90}},
		{WV_NOP, 32, 1, {0x90}}, {WV_LFENCE, 64, 3, {0x0f, 0xae, 0xe8}}, {WV_MFENCE, 64, 3, {0x0f, 0xae, 0xf0}},
		{WV_SFENCE, 64, 3, {0x0f, 0xae, 0xf8}}, {WV_ENDBR, 64, 4, {0xf3, 0x0f, 0x1e, 0xfa}},
		{WV_INT3, 64, 1, {0xcc}}, {WV_UD2, 64, 2, {0x0f, 0x0b}},
		/* a one-byte nop has no width of 64 bits: the longest form without an operand stands for it */
		{WV_NOP, 64, 3, {0x66, 0x66, 0x90}}};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].op == c->op && table[i].width == c->width) {
			memcpy(bytes, table[i].bytes, table[i].size);
			return table[i].size;
		}
	}
	return 0;
}

/* ---- Operands ---- */

static ZydisRegister zydis_register(unsigned reg, unsigned width, bool high)
{
	switch (width) {
	case 8: return (ZydisRegister)(ZYDIS_REGISTER_AL + (high || reg >= 4 ? reg + 4 : reg));
	case 16: return (ZydisRegister)(ZYDIS_REGISTER_AX + reg);
	case 32: return (ZydisRegister)(ZYDIS_REGISTER_EAX + reg);
	default: return (ZydisRegister)(ZYDIS_REGISTER_RAX + reg);
	}
}

static unsigned draw_source(struct world *w, unsigned width)
{
	unsigned reg = 0;
	for (int tries = 0; tries < 4; tries++) {
		reg = draw_one_in(w->draw, 2) ? w->favourite[draw_below(w->draw, 3)]
					      : (unsigned)draw_below(w->draw, 16);
		if (reg != WV_RSP && wv_val_readable(&w->state->reg[reg], width))
			return reg;
	}
	return reg;
}

static unsigned draw_destination(struct world *w, const struct insn_case *c)
{
	bool moves_rsp =
		c->width == 64 && (c->op == WV_LEA || ((c->op == WV_ADD || c->op == WV_SUB) && !strcmp(c->form, "RI")));
	if ((moves_rsp && draw_one_in(w->draw, 4)) || draw_one_in(w->draw, 64))
		return WV_RSP;
	unsigned reg = draw_source(w, c->width);
	return reg == WV_RSP ? WV_RAX : reg;
}

/* An xmm register, mostly one that is the probe's own. */
static unsigned draw_xmm_register(struct world *w)
{
	unsigned reg = (unsigned)draw_below(w->draw, 16);
	for (int tries = 0; tries < 3 && !(wv_state_xmm(w->state) >> reg & 1); tries++)
		reg = (unsigned)draw_below(w->draw, 16);
	return reg;
}

/* A displacement that brings offset `from` of a region to a place where `bytes` can be accessed, or nearly so. */
static int64_t draw_displacement(struct world *w, unsigned region, uint64_t from, unsigned bytes, bool aligned)
{
	struct draw *d = w->draw;
	int64_t to;
	if (region == WV_STACK) {
		to = -(int64_t)(draw_below(d, w->state->depth / 8 + 17) + 1) * 8;
		if (draw_one_in(d, 4))
			to += (int64_t)draw_below(d, 12) - 4;
	} else {
		uint64_t size = world_region_size(w, region);
		to = size > bytes ? (int64_t)draw_below(d, size - bytes + 1) : 0;
		if (draw_one_in(d, 20))
			to += (int64_t)draw_below(d, 9) - 4;
	}
	if (aligned && !draw_one_in(d, 8)) {
		to -= to % (int64_t)bytes;
		if (bytes == 16 && region == WV_STACK) /* the entry's rsp is 8 more than a multiple */
			to -= 8;
	}
	return (int64_t)((uint64_t)to - from);
}

static bool draw_index(struct world *w, struct wv_mem *m)
{
	for (int tries = 0; tries < 6; tries++) {
		unsigned reg = (unsigned)draw_below(w->draw, 16);
		const struct wv_val *v = &w->state->reg[reg];
		if (reg == WV_RSP || v->kind != WV_NUM || v->init != 64 || (v->n.umax > 80 && tries < 5))
			continue;
		m->index = (uint8_t)reg;
		m->scale = (uint8_t)(1u << draw_below(w->draw, 4));
		return true;
	}
	return false;
}

static struct wv_mem draw_mem(struct world *w, const struct insn_case *c, unsigned bytes, bool to_rsp)
{
	struct draw *d = w->draw;
	struct wv_mem m = {.base = WV_NOREG, .index = WV_NOREG, .scale = 1};
	bool aligned = c->lock || c->op == WV_XCHG || (c->width == 128 && draw_one_in(d, 2));
	if (to_rsp) {
		m.base = WV_RSP;
		m.disp = ((int64_t)draw_below(d, 16) - 8) * 8;
		return m;
	}
	if (c->op == WV_DIV || c->op == WV_IDIV) { /* only a kept value can be proven not to be zero */
		m.base = WV_RSP;
		m.disp = (int64_t)w->state->depth - 8;
		return m;
	}
	if (draw_one_in(d, 8)) {
		bool data = draw_one_in(d, 2);
		m.rip_relative = true;
		m.disp = (int64_t)(data ? w->module.data.addr : w->module.rodata.addr) +
			 draw_displacement(w, data ? WV_DATA : WV_RODATA, 0, bytes, aligned);
		return m;
	}
	unsigned reg = WV_RSP;
	for (int tries = 0; tries < 8 && !draw_one_in(d, 6); tries++) {
		reg = (unsigned)draw_below(d, 16);
		if (w->state->reg[reg].kind == WV_PTR)
			break;
	}
	const struct wv_val *v = &w->state->reg[reg];
	m.base = (uint8_t)reg;
	uint64_t from = v->kind == WV_PTR ? (draw_one_in(d, 2) ? v->n.umin : (uint64_t)v->n.smin) : 0;
	m.disp = draw_displacement(w, v->kind == WV_PTR ? v->region : WV_DATA, from, bytes, aligned);
	if (c->op == WV_LEA ? draw_one_in(d, 2) : draw_one_in(d, 4))
		draw_index(w, &m);
	if (draw_one_in(d, 40))
		m.disp = (int32_t)draw_value(d);
	if (c->op == WV_LEA && draw_one_in(d, 3)) { /* arithmetic on numbers */
		m.base = (uint8_t)draw_source(w, 64);
		m.disp = (int32_t)draw_value(d);
		if (draw_one_in(d, 4))
			m.base = WV_NOREG;
	}
	return m;
}

static int64_t draw_immediate(struct world *w, const struct insn_case *c)
{
	struct draw *d = w->draw;
	bool count = wv_op_is_vector(c->op) || (c->op >= WV_SHL && c->op <= WV_SHRD) ||
		     (c->op >= WV_BT && c->op <= WV_BTC) || c->op == WV_RORX;
	if (count)
		return draw_one_in(d, wv_op_is_vector(c->op) ? 2 : 8) ? (int64_t)draw_below(d, 256)
								      : (int64_t)draw_below(d, c->width + 2);
	if (draw_one_in(d, 3))
		return (int64_t)draw_below(d, 130) - 1;
	int64_t v = (int64_t)draw_value(d);
	switch (c->width) {
	case 8: return (int8_t)v;
	case 16: return (int16_t)v;
	default: return c->op == WV_MOV && c->width == 64 && c->form[0] == 'R' ? v : (int32_t)v;
	}
}

/* One operand, for the encoder and for comparison with what the decoder makes of it. */
static void draw_operand(
	struct world *w, const struct insn_case *c, unsigned i, ZydisEncoderOperand *z, struct wv_insn *meant)
{
	struct wv_operand *o = &meant->operand[i];
	o->width = (uint8_t)(i == 1 && c->source ? c->source : c->width);
	switch (c->form[i]) {
	case 'X':
		o->kind = WV_XMM;
		o->width = 128;
		o->reg = (uint8_t)(i == 1 && draw_one_in(w->draw, 6) ? meant->operand[0].reg & 15
								     : draw_xmm_register(w));
		break;
	case 'C':
		o->kind = WV_REG;
		o->reg = WV_RCX;
		o->width = 8;
		break;
	case 'R':
		o->kind = WV_REG;
		if (wv_op_is_vector(c->op))
			o->width = c->op == WV_MOVQ ? 64 : 32;
		o->high = c->high >> i & 1;
		o->reg = (uint8_t)(i == 0 && c->op != WV_PUSH ? draw_destination(w, c) : draw_source(w, o->width));
		if (i == 1 && !c->source && meant->operand[0].kind == WV_REG && draw_one_in(w->draw, 6))
			o->reg = meant->operand[0].reg;
		if (c->high) /* no REX: one of the first registers */
			o->reg = (uint8_t)(o->width == 8 ? o->reg & 3 : o->reg & 7);
		break;
	case 'I':
		o->kind = WV_IMM;
		if (wv_op_is_vector(c->op))
			o->width = 8;
		meant->imm = draw_immediate(w, c);
		break;
	default:
		o->kind = WV_MEM;
		if (c->op == WV_LEA) /* an address, whatever is made of it */
			o->width = 64;
		meant->mem = draw_mem(w, c, o->width / 8, c->op == WV_LEA && meant->operand[0].reg == WV_RSP);
		break;
	}
	if (o->kind == WV_XMM) {
		z->type = ZYDIS_OPERAND_TYPE_REGISTER;
		z->reg.value = (ZydisRegister)(ZYDIS_REGISTER_XMM0 + o->reg);
	} else if (o->kind == WV_REG) {
		z->type = ZYDIS_OPERAND_TYPE_REGISTER;
		z->reg.value = zydis_register(o->reg, o->width, o->high);
	} else if (o->kind == WV_IMM) {
		z->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		z->imm.s = meant->imm;
	} else {
		const struct wv_mem *m = &meant->mem;
		z->type = ZYDIS_OPERAND_TYPE_MEMORY;
		z->mem.base = m->rip_relative       ? ZYDIS_REGISTER_RIP
			      : m->base == WV_NOREG ? ZYDIS_REGISTER_NONE
						    : zydis_register(m->base, 64, false);
		z->mem.index = m->index == WV_NOREG ? ZYDIS_REGISTER_NONE : zydis_register(m->index, 64, false);
		z->mem.scale = m->index == WV_NOREG ? 0 : m->scale;
		z->mem.displacement = m->disp + (m->rip_relative ? (int64_t)(uintptr_t)w->native->arena : 0);
		z->mem.size = o->width / 8;
	}
}

size_t insn_encode(struct world *w, const struct insn_case *c, uint8_t bytes[MAX_INSN], struct wv_insn *meant)
{
	memset(meant, 0, sizeof(*meant));
	meant->op = (uint8_t)c->op;
	meant->cond = (uint8_t)c->cond;
	meant->width = (uint8_t)c->width;
	if (!strcmp(c->form, "REL"))
		return branch(w, c, bytes, meant);
	if (c->form[0] == '_')
		return fixed(c, bytes);
	if (c->op == WV_NOP)
		return long_nop(w, c, bytes);
	ZydisEncoderRequest request;
	memset(&request, 0, sizeof(request));
	request.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	request.allowed_encodings = ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX;
	request.prefixes = c->lock ? ZYDIS_ATTRIB_HAS_LOCK : 0;
	meant->lock = c->lock;
	int mnemonic = rows[c->op].mnemonic;
	if (mnemonic == ZYDIS_MNEMONIC_IMUL1)
		mnemonic = ZYDIS_MNEMONIC_IMUL;
	if (mnemonic == ZYDIS_MNEMONIC_MOVSDX)
		mnemonic = ZYDIS_MNEMONIC_MOVSD;
	if (mnemonic == ZYDIS_MNEMONIC_JMP_REG)
		mnemonic = ZYDIS_MNEMONIC_JMP;
	request.mnemonic = mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE ? (ZydisMnemonic)mnemonic
								: families[mnemonic - ZYDIS_MNEMONIC_JCC][c->cond];
	request.operand_count = (ZyanU8)strlen(c->form);
	meant->n_operands = request.operand_count;
	for (unsigned i = 0; i < meant->n_operands; i++)
		draw_operand(w, c, i, &request.operands[i], meant);
	ZyanUSize size = MAX_INSN;
	ZyanStatus status = ZydisEncoderEncodeInstructionAbsolute(&request, bytes, &size, (ZyanU64)w->native->insn);
	if (!ZYAN_SUCCESS(status))
		return 0;
	if (bytes[0] == 0xf3 && bytes[1] == 0x66) { /* assemblers write them the other way round */
		bytes[0] = 0x66;
		bytes[1] = 0xf3;
	}
	if (c->op == WV_JMP_REG && draw_one_in(w->draw, 2)) { /* notrack */
		memmove(bytes + 1, bytes, size++);
		bytes[0] = 0x3e;
	}
	return size;
}
