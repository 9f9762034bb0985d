/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the verifier's violations into guards for the next round.
 *
 * Loops come first. While a loop isn't ranked, every index in it is unknown. Once the loop has fuel, accesses in it
 * may be proven without a guard. The same holds for a loop that may go round too often for the limit; the verifier
 * names its head. Then come accesses through loaded pointers. Where such a pointer is chosen from several, as in a
 * loop over linked elements, the others may be proven with it. Indices come last.
 *
 * Machine instructions don't always say where they come from. A load may be folded into its user: then the loads
 * among the operands are meant. Where several instructions became one, they lost their numbers. Then any access of
 * the function is meant that looks like it: of the same size and at the same distance from its base, or at least of
 * the same size. If there is none, any access around it is meant, and at last any in the function.
 *
 * A buffer that is passed to an import has its place and its length guarded. clang makes one branch of the author's
 * test of the length and a test beside it, and that branch says nothing of either. If the place isn't constant,
 * guards aren't enough: the verifier doesn't know that the length is less where the place is further. So the object
 * gets room behind it, which no run reaches: twice as much for as long as the verifier asks for more.
 *
 * What is read of the stack must have been set. The front end sets all variables at first. But the optimiser removes
 * stores that it believes nobody reads, such as those to the other members of an array's elements when one member is
 * read at any index. The verifier knows only the limits of such a read, and finds bytes that weren't set. Then the
 * variable gets its zeros after all.
 */
#include "plan_from_verdict.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/loop_place.h"
#include "codegen/llvm/guard/fuel.h"
#include "codegen/llvm/ir/import_buffers.h"
#include "codegen/llvm/ir/probe.h"
#include "decode_access.h"

enum { CLOSURE = 4, FIRST_ROOM = 64 };

/* What an earlier round has guarded in vain is no progress; what this one has just planned is. */
static void want_guard(struct planner *r, int i, enum want want, const char *why)
{
	if (want != WANT_COUNTER || !(r->plan.of[i].want & WANT_FUEL)) /* fuel counts */
		r->progress |= plan_want(&r->plan, i, want, r->round, why);
	r->plan.of[i].sure |= r->sure;
}

static bool has_access(const struct planner *r, LLVMValueRef inst)
{
	struct access a[2];

	return accesses_of(r->layout, inst, a) > 0;
}

/* At a constant place of what the probe was given there is nothing to check. */
static bool is_plain(const struct planner *r, LLVMValueRef inst)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	struct access a[2];
	unsigned n = accesses_of(r->layout, inst, a);
	bool plain = true;

	for (unsigned k = 0; k < n; k++) {
		int64_t constant;
		LLVMValueRef address = LLVMGetOperand(inst, a[k].operand),
			     root = root_of(r->layout, address, &constant);
		struct base base = base_of(r->layout, fn, address);

		plain &= root == base.value && base.kind != BASE_LOADED && constant >= 0 &&
			 (uint64_t)constant < base_size(&base, r->guard.state_size);
	}
	return plain;
}

/* When it is to be checked. Of what isn't through a pointer that was loaded: at once. */
static enum stage stage_of(const struct planner *r, LLVMValueRef inst, bool *loaded)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	enum stage stage = LOADED;
	struct access a[2];
	unsigned n = accesses_of(r->layout, inst, a);

	*loaded = false;
	for (unsigned k = 0; k < n; k++) {
		int64_t constant;
		LLVMValueRef address = LLVMGetOperand(inst, a[k].operand),
			     root = root_of(r->layout, address, &constant);
		enum stage of = LLVMIsALoadInst(root) ? LOADED : LLVMIsAPHINode(root) ? MERGED : COMPUTED;

		if (base_of(r->layout, fn, address).kind != BASE_LOADED)
			continue;
		*loaded = true;
		stage = of > stage ? of : stage;
	}
	return stage;
}

/*
 * Where it didn't help to check a loaded pointer, what becomes of the pointer between the check and the access is to
 * blame: then the access goes through what was checked.
 */
static void want_checked(struct planner *r, LLVMValueRef inst, const char *why)
{
	int i = index_get(&r->origin.number, inst, 0);
	bool loaded;

	if (!has_access(r, inst) || is_plain(r, inst))
		return;
	if (stage_of(r, inst, &loaded) > r->stage) {
		r->postponed = true;
		return;
	}
	r->plan.of[i].sure |= r->sure;
	if (plan_want(&r->plan, i, WANT_ACCESS, r->round, why) ||
		(r->plan.of[i].ahead && plan_want(&r->plan, i, WANT_EACH, r->round, why)))
		r->progress = true;
	else if (loaded || (r->pointer && r->sure))
		want_guard(r, i, WANT_COUNTED, why);
}

/* Could the machine's instruction be this one? A copy is done in pieces. */
static bool is_alike(const struct planner *r, LLVMValueRef inst, const struct touched *t, bool write, bool there)
{
	struct access a[2];
	unsigned n = accesses_of(r->layout, inst, a);
	bool alike = false;

	for (unsigned k = 0; k < n; k++) {
		bool both = is_atomic_update(inst), copy = !both && LLVMIsACallInst(inst),
		     matches = both || access_writes(inst, &a[k]) == write;
		int64_t constant;

		root_of(r->layout, LLVMGetOperand(inst, a[k].operand), &constant);
		alike |= matches && (copy ? !there && a[k].size >= t->size
					  : a[k].size == t->size && (!there || constant == t->displacement));
	}
	return alike;
}

/* What looks like it. */
static void want_alike(
	struct planner *r, LLVMValueRef fn, const struct touched *t, bool write, bool there, const char *why)
{
	LLVMBasicBlockRef block;
	LLVMValueRef inst;

	for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
			if (is_alike(r, inst, t, write, there))
				want_checked(r, inst, why);
}

/* Loads among an instruction's operands, and theirs: one of them may have been folded into it. */
static void want_loads(struct planner *r, LLVMValueRef inst, int depth, const char *why)
{
	int n = LLVMGetNumOperands(inst);

	for (int k = 0; k < n && depth > 0; k++) {
		LLVMValueRef v = LLVMGetOperand(inst, (unsigned)k);

		if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v))
			continue;
		if (LLVMIsALoadInst(v))
			want_checked(r, v, why);
		else
			want_loads(r, v, depth - 1, why);
	}
}

static void want_access(struct planner *r, int i, const struct touched *t, const char *why)
{
	LLVMValueRef inst = r->origin.inst[i];

	if (!has_access(r, inst)) {
		want_loads(r, inst, CLOSURE, why);
		return;
	}
	want_checked(r, inst, why);
	r->sure = false;
	if (LLVMIsAStoreInst(inst) && !t->moves) /* it may be one instruction with the load before it */
		want_loads(r, inst, CLOSURE, why);
}

static void want_block(struct planner *r, LLVMBasicBlockRef block, const char *why)
{
	LLVMValueRef inst;

	for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
		want_checked(r, inst, why);
}

static void want_function(struct planner *r, LLVMValueRef fn, const char *why)
{
	LLVMBasicBlockRef block;

	for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		want_block(r, block, why);
}

/*
 * A store somewhere in a local array may be taken for one over the registers that are saved beside it, which nobody
 * sees before the return. So may one that is proven to stay in the array, if what proves it is far before: what was
 * known of an index when its loop was first looked at is found again in the end, but not what such a store was taken to
 * overwrite. Then it is checked right before.
 */
static void want_local_stores(struct planner *r, LLVMValueRef fn, bool own)
{
	static const char why[] = "the store may seem to reach the registers that are saved beside the array";
	LLVMValueRef inst;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
			struct base base = LLVMIsAStoreInst(inst) ? base_of(r->layout, fn, LLVMGetOperand(inst, 1))
								  : (struct base){0};

			if (!base.value || !LLVMIsAAllocaInst(base.value))
				continue;
			if (!own)
				want_checked(r, inst, why);
			else if (!is_plain(r, inst))
				want_guard(r, index_get(&r->origin.number, inst, 0), WANT_OWN, why);
		}
}

/* A saved register was lost. */
static void plan_preserved(struct planner *r, LLVMValueRef fn, const char *why)
{
	r->sure = false;
	want_local_stores(r, fn, false);
	if (!r->progress && !r->postponed)
		want_local_stores(r, fn, true);
	if (!r->progress && !r->postponed)
		want_function(r, fn, why);
}

/* Zeros for the variable that is read there. */
static void want_zeros(struct planner *r, LLVMValueRef inst, const char *why)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	struct access a[2];

	for (unsigned k = 0, n = accesses_of(r->layout, inst, a); k < n; k++) {
		struct base base = base_of(r->layout, fn, LLVMGetOperand(inst, a[k].operand));

		if (base.value && LLVMIsAAllocaInst(base.value))
			want_guard(r, index_get(&r->origin.number, base.value, 0), WANT_ZEROS, why);
	}
}

static void want_all_zeros(struct planner *r, LLVMValueRef fn, const char *why)
{
	for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); LLVMIsAAllocaInst(v);
		v = LLVMGetNextInstruction(v))
		want_guard(r, index_get(&r->origin.number, v, 0), WANT_ZEROS, why);
}

/* Is the place known, counted from what the probe was given? */
static bool is_fixed(const struct planner *r, LLVMValueRef fn, LLVMValueRef address)
{
	struct base base = base_of(r->layout, fn, address);
	int64_t constant;

	return base.kind != BASE_LOADED && root_of(r->layout, address, &constant) == base.value;
}

/*
 * Twice as much room as it had; no more than what it lies in is long. False: that is there already, or no room behind
 * it would be anyone's.
 */
static bool want_room(struct planner *r, int i, const struct base *base)
{
	uint64_t most = base_size(base, r->guard.state_size), *room = &r->plan.of[i].room, was = *room;

	if (!base->value || is_read_only(base) || LLVMIsAGlobalVariable(base->value))
		return false;
	*room = LLVMIsAAllocaInst(base->value) || was * 2 > most ? most : was ? was * 2 : FIRST_ROOM;
	*room = *room < most ? *room : most;
	return *room > was;
}

/*
 * The buffers of the import that is called there are guarded; if they are, they may lack room, or those that the import
 * reads some bytes that nobody set.
 */
static void want_buffers(struct planner *r, LLVMValueRef call, const struct ward_violation *v)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	int i = index_get(&r->origin.number, call, 0);
	struct import_buffer l[MAX_IMPORT_BUFFERS];
	unsigned n = import_buffers_of(call, l);

	if (!n)
		return;
	if (plan_want(&r->plan, i, WANT_BUFFER, r->round, v->detail)) {
		r->progress = true;
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		LLVMValueRef address = LLVMGetOperand(call, l[k].address);
		struct base base = base_of(r->layout, fn, address);

		if (!l[k].written && base.value && LLVMIsAAllocaInst(base.value) &&
			!strcmp(v->reason, "buffer-not-set"))
			want_guard(r, index_get(&r->origin.number, base.value, 0), WANT_ZEROS, v->detail);
		else if (!is_fixed(r, fn, address))
			r->progress |= want_room(r, i, &base);
	}
}

/* A buffer that isn't allowed. A call that isn't known by its number is any in the function. */
static void plan_buffer(struct planner *r, LLVMValueRef inst, bool exact, const struct ward_violation *v)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	struct import_buffer l[MAX_IMPORT_BUFFERS];

	if (exact && import_buffers_of(inst, l)) {
		want_buffers(r, inst, v);
		return;
	}
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
			want_buffers(r, inst, v);
}

static void want_divisor(struct planner *r, LLVMValueRef inst, int depth, const char *why)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	int n = LLVMGetNumOperands(inst);

	if (op == LLVMUDiv || op == LLVMURem || op == LLVMSDiv || op == LLVMSRem) {
		if (!LLVMIsAConstantInt(LLVMGetOperand(inst, 1)))
			want_guard(r, index_get(&r->origin.number, inst, 0), WANT_DIVISOR, why);
		return;
	}
	for (int k = 0; k < n && depth > 0; k++)
		if (LLVMIsAInstruction(LLVMGetOperand(inst, (unsigned)k)))
			want_divisor(r, LLVMGetOperand(inst, (unsigned)k), depth - 1, why);
}

static int first_of_head(const struct planner *r, const struct flow *f, int head)
{
	return index_get(&r->origin.number, LLVMGetFirstInstruction(f->block[head]), 0);
}

/*
 * Fuel, or a counter, for the innermost loop around the instruction that has none yet; else for all loops of the
 * function.
 */
static void want_loop(struct planner *r, LLVMValueRef inst, enum want what, const char *why)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	struct flow f;
	bool ok = flow_init(&f, LLVMGetBasicBlockParent(block)), before = r->progress;
	int b = ok ? flow_number(&f, block) : FLOW_NONE;

	r->progress = false;
	for (int l = b == FLOW_NONE ? FLOW_NONE : f.loop[b]; l != FLOW_NONE && !r->progress; l = f.parent[l])
		want_guard(r, first_of_head(r, &f, l), what, why);
	for (int l = 0; ok && !r->progress && l < f.n; l++)
		if (f.head[l])
			want_guard(r, first_of_head(r, &f, l), what, why);
	r->progress |= before;
	flow_free(&f);
}

static bool is_same_place(LLVMMetadataRef a, LLVMMetadataRef b)
{
	return a && b && LLVMDILocationGetLine(a) == LLVMDILocationGetLine(b) &&
	       LLVMDILocationGetColumn(a) == LLVMDILocationGetColumn(b) &&
	       LLVMDILocationGetScope(a) == LLVMDILocationGetScope(b);
}

/*
 * A function's loop is there once for each call that was inlined. Of loops that go round too often the verifier names
 * one: so the other copies of those that have just got fuel get some as well, not one in each round.
 */
static void want_copies(struct planner *r, LLVMValueRef fn, const char *why)
{
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int l = 0; ok && l < f.n; l++) {
		const struct planned *of = f.head[l] ? &r->plan.of[first_of_head(r, &f, l)] : NULL;
		LLVMMetadataRef place =
			of && (of->want & WANT_FUEL) && of->round[2] == r->round ? location_of_loop(&f, l) : NULL;

		for (int k = 0; place && k < f.n; k++)
			if (f.head[k] && is_same_place(place, location_of_loop(&f, k)))
				want_guard(r, first_of_head(r, &f, k), WANT_FUEL, why);
	}
	flow_free(&f);
}

static bool is_about_loops(enum ward_rule rule)
{
	return rule == WARD_RULE_RANK || rule == WARD_RULE_COST || rule == WARD_RULE_EDGE ||
	       rule == WARD_RULE_STRUCTURE;
}

/*
 * An access that isn't allowed: the one that it came of, or else what may be meant, in ever wider circles as long as
 * nothing is new.
 */
static void plan_access(
	struct planner *r, int i, bool exact, const struct ward_buf *module, const struct ward_violation *v)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(r->origin.inst[i]);
	LLVMValueRef fn = LLVMGetBasicBlockParent(block);
	struct touched t = touched_at(module->data, module->size, v->pc);
	bool write = !strncmp(v->reason, "store", 5);

	if (exact)
		want_access(r, i, &t, v->detail);
	r->sure = false;
	for (int there = 1; t.size && there >= 0 && !r->progress && !r->postponed; there--)
		want_alike(r, fn, &t, write, there, v->detail);
	if (!r->progress && !r->postponed)
		want_block(r, block, v->detail);
	if (!r->progress && !r->postponed)
		want_function(r, fn, v->detail);
}

/*
 * A read of what was never set. Where zeros don't help it reads beside its variable, as far as the verifier can tell:
 * between two, or where a register is saved.
 */
static void plan_unset(
	struct planner *r, int i, bool exact, const struct ward_buf *module, const struct ward_violation *v)
{
	LLVMValueRef inst = r->origin.inst[i];

	want_zeros(r, inst, v->detail);
	if (!r->progress)
		want_all_zeros(r, LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), v->detail);
	if (!r->progress)
		plan_access(r, i, exact, module, v);
}

static void plan_violation(
	struct planner *r, const struct lines *lines, const struct ward_buf *module, const struct ward_violation *v)
{
	int exact = line_table_at(lines, v->pc), line = exact ? exact : line_near(lines, v->pc);
	bool before = r->progress;
	LLVMValueRef inst;

	if (line <= 0 || line > r->origin.n || is_about_loops(v->rule) != (r->stage == LOOPS))
		return;
	inst = r->origin.inst[line - 1];
	r->progress = r->postponed = false;
	r->sure = exact != 0;
	r->pointer = v->rule == WARD_RULE_POINTER;
	switch (v->rule) {
	case WARD_RULE_RANK: want_loop(r, inst, WANT_FUEL, v->detail); break;
	case WARD_RULE_COST:
		want_loop(r, inst, WANT_FUEL, v->detail);
		want_copies(r, LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), v->detail);
		break;
	case WARD_RULE_EDGE:
	case WARD_RULE_STRUCTURE: want_loop(r, inst, WANT_COUNTER, v->detail); break;
	case WARD_RULE_DIVIDE: want_divisor(r, inst, CLOSURE, v->detail); break;
	case WARD_RULE_POINTER:
	case WARD_RULE_BOUNDS:
	case WARD_RULE_READONLY:
	case WARD_RULE_STACK:
	case WARD_RULE_SPILL: plan_access(r, line - 1, exact != 0, module, v); break;
	case WARD_RULE_ARGUMENT:
		if (!strncmp(v->reason, "buffer-", 7))
			plan_buffer(r, inst, exact != 0, v);
		break;
	case WARD_RULE_UNINIT_MEM: plan_unset(r, line - 1, exact != 0, module, v); break;
	case WARD_RULE_PRESERVED:
		plan_preserved(r, LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), v->detail);
		break;
	default: break;
	}
	r->progress |= before;
}

bool plan_from_verdict(
	struct planner *r, const struct lines *lines, const struct ward_buf *module, const struct ward_verdict *verdict)
{
	r->progress = false;
	for (r->stage = LOOPS; r->stage <= LAST_STAGE && !r->progress; r->stage++)
		for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
			plan_violation(r, lines, module, &verdict->violations[i]);
	return r->progress;
}

bool is_beyond_guards(const struct planner *r, const struct lines *lines, const struct ward_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		int line = line_near(lines, verdict->violations[i].pc);

		if (line > 0 && line <= r->origin.n &&
			!is_entry(LLVMGetBasicBlockParent(LLVMGetInstructionParent(r->origin.inst[line - 1]))))
			return true;
	}
	return false;
}

/* ---- everything ---- */

/* Of a constant length at a constant place there is nothing to check. */
static void want_any_buffer(struct planner *r, LLVMValueRef inst, int i, const char *why)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	struct import_buffer l[MAX_IMPORT_BUFFERS];

	for (unsigned k = 0, n = import_buffers_of(inst, l); k < n; k++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(inst, l[k].length)) ||
			!is_fixed(r, fn, LLVMGetOperand(inst, l[k].address)))
			want_guard(r, i, WANT_BUFFER, why);
}

void want_accesses(struct planner *r, const char *why)
{
	r->stage = LAST_STAGE;
	r->sure = false;
	for (int i = 0; i < r->origin.n; i++) {
		want_checked(r, r->origin.inst[i], why);
		want_divisor(r, r->origin.inst[i], 0, why);
		want_any_buffer(r, r->origin.inst[i], i, why);
	}
}

void want_loops(struct planner *r, const char *why)
{
	LLVMValueRef fn;
	struct flow f;

	for (fn = LLVMGetFirstFunction(r->base); fn; fn = LLVMGetNextFunction(fn)) {
		if (LLVMIsDeclaration(fn))
			continue;
		if (flow_init(&f, fn))
			for (int b = 0; b < f.n; b++)
				if (f.head[b])
					want_guard(r, first_of_head(r, &f, b), WANT_COUNTER, why);
		flow_free(&f);
	}
}

void want_accesses_in_loop(struct planner *r, int i, const char *why)
{
	LLVMBasicBlockRef head = LLVMGetInstructionParent(r->origin.inst[i]);
	struct flow f;
	bool ok = flow_init(&f, LLVMGetBasicBlockParent(head));
	int h = ok ? flow_number(&f, head) : FLOW_NONE;

	r->stage = LAST_STAGE;
	r->sure = false;
	for (int b = h; h != FLOW_NONE && b < f.n; b++)
		if (flow_in_loop(&f, b, h))
			want_block(r, f.block[b], why);
	flow_free(&f);
}

/* ---- the rounds' memory ---- */

bool planner_init(struct planner *r, LLVMModuleRef base, const struct guard_options *guard)
{
	*r = (struct planner){.base = base, .layout = LLVMGetModuleDataLayout(base), .guard = *guard};
	if (!number_instructions(&r->origin, base))
		return false;
	r->plan.of = calloc((size_t)r->origin.n + 1, sizeof(*r->plan.of));
	r->plan.n = r->plan.of ? r->origin.n : 0;
	return r->plan.of;
}

void planner_free(struct planner *r)
{
	plan_free(&r->plan);
	numbering_free(&r->origin);
}
