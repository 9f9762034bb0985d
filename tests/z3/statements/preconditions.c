/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What step.c and operand.c test before an instruction is carried out: that the processor has it, and that what it
 * accesses is aligned where it must be (V-13, V-36, V-37).
 *
 * - check_feature: for any instruction, the feature that isa.def says it needs is one that the module's note names;
 *   the loader refuses processors that lack a named feature. test-same compares isa.def's features with Zydis. The
 *   words of the violation don't matter here.
 * - wv_check_aligned, wv_check_locked: an address, which may be anything, is a multiple of what the manual demands,
 *   wherever its region begins. spec/policy.md says where the loader lets regions begin: state, rodata and data at
 *   multiples of 64, events at multiples of 8, the stack so that rsp is a multiple of 8 at the entry, and 8 more than
 *   a multiple of 16 where that is noted. Nothing is known of windows. The access itself refuses an address that is
 *   no pointer. It also refuses a locked access to events, which are for reading only, since each locked access
 *   writes.
 * - wv_note_alignment: where it doesn't note that the access may be misaligned, the access is aligned.
 */
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "slots.h"

/* ---- features ---- */

/*
 * Instructions that not every x86-64 processor has, and the bit of cpuid that says so (SDM vol. 2). rdtsc all have; so
 * they have tzcnt, which may be bsf (isa.def).
 */
static const struct feature_bit {
	uint32_t leaf;
	uint8_t reg, bit; /* register: 0 eax, 1 ebx, 2 ecx, 3 edx */
} popcnt = {1, 2, 23}, movbe = {1, 2, 22}, lzcnt = {0x80000001, 2, 5}, rdtscp = {0x80000001, 3, 27}, bmi1 = {7, 1, 3},
  bmi2 = {7, 1, 8};

static const struct {
	uint8_t op;
	const struct feature_bit *bit;
} needs[] = {
	{WV_POPCNT, &popcnt},
	{WV_MOVBE, &movbe},
	{WV_LZCNT, &lzcnt},
	{WV_RDTSCP, &rdtscp},
	{WV_ANDN, &bmi1},
	{WV_BEXTR, &bmi1},
	{WV_BLSI, &bmi1},
	{WV_BLSMSK, &bmi1},
	{WV_BLSR, &bmi1},
	{WV_BZHI, &bmi2},
	{WV_MULX, &bmi2},
	{WV_PDEP, &bmi2},
	{WV_PEXT, &bmi2},
	{WV_RORX, &bmi2},
	{WV_SARX, &bmi2},
	{WV_SHLX, &bmi2},
	{WV_SHRX, &bmi2},
};

/* The bit of the note that stands for this one of cpuid's: if the note names it, the loader asks the processor. */
static uint32_t named_by(const struct feature_bit *b)
{
#define FEATURE(id, named, name, in_leaf, subleaf, in_reg, position, allowed) \
	if (b->leaf == (in_leaf) && b->reg == (in_reg) && b->bit == (position)) \
		return named;
#include "ward/feature.def"
#undef FEATURE
	give_up("feature.def lacks a bit of cpuid");
}

/* What isa.def says, in bits of the note. */
enum {
#define FEATURE(id, named, name, leaf, subleaf, reg, position, allowed) id = (named),
#include "ward/feature.def"
#undef FEATURE
};
static const uint32_t row_feature[WV_OP_COUNT] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) [WV_##op] = feature,
#include "ward/isa.def"
#undef INSN
};

/* uint32_t wv_insn_feature(insn), by the word of isa.def. */
static bool called_for_feature(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, "wv_insn_feature") != 0)
		return called(name, args, m, guard, result);
	term which = exec_load(m, &args[0], offsetof(struct wv_insn, op), 1), feature = bits(32, 0);
	for (unsigned i = 0; i < WV_OP_COUNT; i++)
		feature = row_feature[i] ? ite(eq(which, bits(8, i)), bits(32, row_feature[i]), feature) : feature;
	*result = exec_bits(feature);
	return true;
}

/*
 * void check_feature(ctx, insn): on a processor that has what the note names, the instruction is there, or it is told
 * of.
 */
void build_check_feature(const struct query *q)
{
	begin_state(1);
	summarise_always(called_for_feature);
	term which = input("op", 8), named = input("features", 32), processor = input("processor", 32),
	     missing = truth(false), any = truth(false);
	struct value args[] = {context, instruction};
	exec_store(now, &instruction, offsetof(struct wv_insn, op), which);
	exec_store(now, &module, offsetof(struct wv_module, features), named);
	assume(eq(band(named, bnot(processor)), bits(32, 0)));
	for (unsigned i = 0; i < sizeof needs / sizeof needs[0]; i++) {
		term is = eq(which, bits(8, needs[i].op));
		any = or_(any, is);
		missing = or_(missing, and_(is, eq(band(processor, bits(32, named_by(needs[i].bit))), bits(32, 0))));
	}
	call_function(q, args, now);
	now = &state_memory;
	claim("the processor has it", not_(missing));
	prove_claims();
	possible(and_(any, not_(reported)));
	prove_hazards(not_(reported));
}

/* ---- alignment ---- */

static term is_in(const struct content *c, enum wv_region region)
{
	return eq(c->region, bits(8, region));
}

/* Where regions begin, as the loader lays them (spec/policy.md, "Regions"); of lent windows nothing is known. */
static term given_base(const struct content *c)
{
	term base = input("base", 64), own = or_(is_in(c, WV_STATE), or_(is_in(c, WV_RODATA), is_in(c, WV_DATA)));
	assume(implies(own, eq(extract(5, 0, base), bits(6, 0))));
	assume(implies(or_(is_in(c, WV_STACK), is_in(c, WV_EVENT)), eq(extract(2, 0, base), bits(3, 0))));
	return base;
}

/* A pointer to any region, at an offset of which the state knows anything; `modulus`: what of that matters. */
static struct content given_offset(struct value *at, uint64_t modulus)
{
	*at = exec_struct(now, "struct.wv_val", 0);
	exec_store(now, at, offsetof(struct wv_val, region), input("region", 8));
	given_content(at, "at", truth(true));
	exec_store(now, at, offsetof(struct wv_val, kind), bits(8, WV_PTR));
	struct content c = content_load(at);
	assume(ult(c.region, bits(8, WV_NREGION)));
	assume(and_(well_kept(&c.h), member(&c.h.n, c.h.x)));
	if (plainly())
		memory_fill(now, &context, 0, offsetof(struct wv_ctx, lent));
	else
		use_law_compose(c.h.n.mod, bits(64, modulus));
	return c;
}

static bool in_needs(uint64_t at)
{
	return at == offsetof(struct wv_ctx, needs);
}

/*
 * void wv_check_aligned(ctx, insn, at): a pointer to a multiple of 16; where the stack's alignment counts, it is noted.
 */
void build_check_aligned(const struct query *q)
{
	struct value at;
	begin_state(1);
	struct content c = given_offset(&at, 16);
	struct value args[] = {context, instruction, at};
	term base = given_base(&c);
	call_function(q, args, now);
	now = &state_memory;
	term noted = not_(eq(CONTEXT(aligned), bits(8, 0)));
	assume(implies(and_(is_in(&c, WV_STACK), noted), eq(extract(3, 0, base), bits(4, 8))));
	claim("a multiple of 16", eq(extract(3, 0, add(base, c.h.x)), bits(4, 0)));
	prove_claims();
	if (!plainly())
		possible(not_(reported));
	prove_hazards(not_(reported));
}

/* void wv_note_alignment(ctx, at, bytes): a pointer to a multiple of the access's bytes, unless that is noted. */
void build_note_alignment(const struct query *q)
{
	unsigned bytes = q->width / 8, low = (unsigned)__builtin_ctz(bytes);
	struct value at;
	begin_state(1);
	struct content c = given_offset(&at, bytes);
	struct value args[] = {context, at, exec_bits(bits(32, bytes))};
	term base = given_base(&c), before = input("needs", 32);
	exec_store(now, &context, offsetof(struct wv_ctx, needs), before);
	was = memory_copy(now);
	call_function(q, args, now);
	now = &state_memory;
	term after = CONTEXT(needs), noted = not_(eq(band(after, bits(32, WARD_NEED_AC_CLEAR)), bits(32, 0)));
	claim("aligned", or_(noted, low ? eq(extract(low - 1, 0, add(base, c.h.x)), bits(low, 0)) : truth(true)));
	claim("what was noted is", eq(band(after, before), before));
	claim_same(&context, in_needs, "what is noted");
	prove_claims();
	if (!plainly())
		possible(not_(noted));
	prove_hazards(truth(true));
	memory_free(was);
}

static const struct value *operand_address;

/* struct wv_val wv_address(ctx, st, insn): that of the operand; what it notes is noted aside. */
static bool called_for_address(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, "wv_address") != 0)
		return called(name, args, m, guard, result);
	now = m;
	claim("the address of this instruction", truth(args[2].place[0].object == state.place[0].object &&
							 args[3].place[0].object == instruction.place[0].object));
	claim("nothing is noted", truth(args[1].place[0].object != context.place[0].object));
	memory_copy_bytes(m, &args[0], operand_address, sizeof(struct wv_val));
	return true;
}

static bool in_nothing_at_all(uint64_t at)
{
	(void)at;
	return false;
}

/* void wv_check_locked(ctx, st, insn): a pointer to a multiple of the access's bytes. */
void build_check_locked(const struct query *q)
{
	unsigned bytes = q->width / 8, low = (unsigned)__builtin_ctz(bytes);
	struct value at;
	begin_state(1);
	summarise_always(called_for_address);
	struct content c = given_offset(&at, bytes);
	struct value args[] = {context, state, instruction};
	term base = given_base(&c), written = not_(is_in(&c, WV_EVENT));
	operand_address = &at;
	exec_store(now, &instruction, offsetof(struct wv_insn, width), bits(8, q->width));
	was = memory_copy(now);
	call_function(q, args, now);
	now = &state_memory;
	claim("aligned", implies(written, low ? eq(extract(low - 1, 0, add(base, c.h.x)), bits(low, 0)) : truth(true)));
	claim_same(&state, in_nothing_at_all, "what is changed");
	claim_same(&context, in_needs, "what is noted");
	claim("that the stack's alignment counts",
		implies(is_in(&c, WV_STACK),
			not_(eq(band(CONTEXT(needs), bits(32, WARD_NEED_RSP_ALIGNED)), bits(32, 0)))));
	prove_claims();
	if (!plainly())
		possible(and_(written, not_(reported)));
	prove_hazards(not_(reported));
	memory_free(was);
}
