/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards of pointers that were loaded, from which accesses are counted by indices with known limits: p[i], where
 * i < 32. The pointer is checked, not each address. Behind the state there is room for what the index adds.
 *
 * Where the pointer doesn't change in a loop, it is checked once in front of the loop. That is right only if every path
 * from there comes to an access through it: a run that never uses a bad pointer isn't to be stopped. The compare alone
 * is what the loop saves. If the verifier doesn't see the limits of the index, the address is checked after all.
 *
 * An index of the state that is the sum of a number and of the loop's count, which begins with 0, is like a pointer:
 * the number is the first index. It is checked in front of the loop if each first round comes to the access.
 */
#include "guards.h"

#include <string.h>

enum { DEPTH = 6, MOST_BLOCKS = 64, MOST_USERS = 256 };

#define UNKNOWN UINT64_MAX

/* ---- limits of an index ---- */

static uint64_t most_of(LLVMValueRef v, unsigned depth);

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t greatest_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t constant_of(LLVMValueRef v)
{
	return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 ? LLVMConstIntGetZExtValue(v)
										 : UNKNOWN;
}

static uint64_t most_of_type(LLVMValueRef v)
{
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));

	return width < 64 ? ((uint64_t)1 << width) - 1 : UNKNOWN;
}

/* Is it the number that the phi had, and a little more? */
static bool counts_up(LLVMValueRef v, LLVMValueRef phi)
{
	return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetOperand(v, 0) == phi &&
	       LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) > 0;
}

/* The most that a phi gets from one of its blocks, which may branch there only where the number is below a limit. */
static uint64_t most_from(LLVMValueRef phi, unsigned k, unsigned depth)
{
	LLVMValueRef v = LLVMGetIncomingValue(phi, k), cond,
		     branch = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k));
	LLVMIntPredicate p;
	uint64_t limit;

	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
		LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
		return most_of(v, depth);
	cond = LLVMGetCondition(branch);
	if (!LLVMIsAICmpInst(cond) || LLVMGetOperand(cond, 0) != v ||
		LLVMGetSuccessor(branch, 0) != LLVMGetInstructionParent(phi))
		return most_of(v, depth);
	p = LLVMGetICmpPredicate(cond);
	limit = most_of(LLVMGetOperand(cond, 1), depth);
	if (limit == 0 || limit > MAX_ROOM || (p != LLVMIntULT && (p != LLVMIntSLT || !counts_up(v, phi))))
		return most_of(v, depth);
	return limit - 1;
}

static uint64_t most_of_phi(LLVMValueRef phi, unsigned depth)
{
	uint64_t most = 0;

	for (unsigned k = 0, n = LLVMCountIncoming(phi); k < n; k++)
		most = greatest_of(most, most_from(phi, k, depth));
	return most;
}

static uint64_t most_of_operation(LLVMValueRef v, unsigned depth)
{
	LLVMValueRef first = LLVMGetOperand(v, 0);
	uint64_t a = most_of(first, depth), b = LLVMGetNumOperands(v) == 2 ? constant_of(LLVMGetOperand(v, 1)) : 0,
		 all = most_of_type(v);

	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMZExt:
	case LLVMTrunc: return a;
	case LLVMAnd: return least_of(a, b);
	case LLVMURem: return b != UNKNOWN && b ? least_of(a, b - 1) : a;
	case LLVMLShr: return b < 64 ? least_of(a, all) >> b : all;
	case LLVMShl: return b < 32 && a <= UINT32_MAX ? a << b : all;
	case LLVMMul: return b <= UINT32_MAX && a <= UINT32_MAX ? a * b : all;
	case LLVMAdd: return b <= UINT32_MAX && a <= UINT32_MAX ? a + b : all;
	default: return all;
	}
}

static bool is_least(LLVMValueRef v)
{
	LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
	const char *name;
	size_t n;

	if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return false;
	name = LLVMGetValueName2(callee, &n);
	return strncmp(name, "llvm.umin.", 10) == 0;
}

/* The most that a number can be, as far as its own computation says; or more. */
static uint64_t most_of(LLVMValueRef v, unsigned depth)
{
	uint64_t most = most_of_type(v);

	if (LLVMIsAConstantInt(v))
		return constant_of(v);
	if (depth == 0)
		return most;
	if (is_least(v))
		return least_of(most_of(LLVMGetOperand(v, 0), depth - 1), most_of(LLVMGetOperand(v, 1), depth - 1));
	if (LLVMIsAPHINode(v))
		return least_of(most, most_of_phi(v, depth - 1));
	if (LLVMIsABinaryOperator(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
		return least_of(most, most_of_operation(v, depth - 1));
	return most;
}

/* What one address computation adds, at most; UNKNOWN also if that may be less than nothing. */
static uint64_t most_added(LLVMTargetDataRef layout, LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	uint64_t sum = 0, scale, field;
	int64_t constant = 0;

	for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
		uint64_t most;

		if (!gep_step(layout, &type, index, i == 1, &scale, &field))
			return UNKNOWN;
		constant += (int64_t)field;
		if (LLVMIsAConstantInt(index)) {
			constant += (int64_t)(scale * (uint64_t)LLVMConstIntGetSExtValue(index));
			continue;
		}
		most = scale ? most_of(index, DEPTH) : 0;
		if (scale > MAX_ROOM || most > MAX_ROOM)
			return UNKNOWN;
		sum += scale * most;
	}
	return constant < 0 || constant > MAX_ROOM ? UNKNOWN : sum + (uint64_t)constant;
}

/* The pointer that an address is counted from, upwards; NULL if it may be far from it. Sets how far it can be. */
static LLVMValueRef pointer_of(LLVMTargetDataRef layout, LLVMValueRef address, uint64_t *most)
{
	*most = 0;
	while (LLVMIsAGetElementPtrInst(address)) {
		uint64_t added = most_added(layout, address);

		if (added > MAX_ROOM || *most + added > MAX_ROOM)
			return NULL;
		*most += added;
		address = LLVMGetOperand(address, 0);
	}
	return is_loaded(address) || LLVMIsAPHINode(address) ? address : NULL;
}

/* ---- where to check ---- */

/* Numbers of blocks, a few. */
struct blocks {
	int list[MOST_BLOCKS], n;
};

static bool blocks_have(const struct blocks *b, int block)
{
	for (int i = 0; i < b->n; i++)
		if (b->list[i] == block)
			return true;
	return false;
}

static bool blocks_add(struct blocks *b, int block)
{
	if (b->n == MOST_BLOCKS)
		return false;
	b->list[b->n++] = block;
	return true;
}

/* The blocks with an access that is counted from the pointer; perhaps not all. */
static void blocks_using(const struct guards *g, LLVMValueRef pointer, struct blocks *b)
{
	LLVMValueRef from[MOST_USERS] = {pointer};
	int n = 1;

	for (int i = 0; i < n; i++)
		for (LLVMUseRef use = LLVMGetFirstUse(from[i]); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			bool gep = LLVMIsAGetElementPtrInst(user) != NULL;
			uint64_t most;

			if (gep && n < MOST_USERS && LLVMGetOperand(user, 0) == from[i])
				from[n++] = user;
			if ((LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == from[i])) &&
				pointer_of(g->layout, from[i], &most) == pointer)
				blocks_add(b, flow_number(&g->flow, LLVMGetInstructionParent(user)));
		}
}

/* Does each path from the block's end come to one of `using`, before it ends or comes to where the pointer is set? */
static bool always_comes(const struct guards *g, int block, int set, const struct blocks *using)
{
	struct blocks seen = {.list = {block}, .n = 1};

	for (int i = 0; i < seen.n; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(g->flow.block[seen.list[i]]);
		unsigned n = LLVMGetNumSuccessors(end);

		if (n == 0)
			return false;
		for (unsigned k = 0; k < n; k++) {
			int next = flow_number(&g->flow, LLVMGetSuccessor(end, k));

			if (next == set)
				return false;
			if (!blocks_have(using, next) && !blocks_have(&seen, next) && !blocks_add(&seen, next))
				return false;
		}
	}
	return true;
}

/* The block in the fewest loops in which the pointer can be checked for the accesses of this one. */
static int block_ahead(const struct guards *g, LLVMValueRef pointer, int block)
{
	int set = flow_number(&g->flow, LLVMGetInstructionParent(pointer)), best = block;
	struct blocks using = {0};

	if (g->flow.depth[set] == g->flow.depth[block])
		return block;
	blocks_using(g, pointer, &using);
	for (int b = block; b != set;) {
		b = g->flow.idom[b];
		if (g->flow.depth[b] < g->flow.depth[best] && always_comes(g, b, set, &using))
			best = b;
	}
	return best;
}

static struct checked check_pointer(
	struct guards *g, int i, int block, const struct base *base, LLVMValueRef pointer, uint64_t size, bool ahead)
{
	LLVMValueRef before = ahead ? LLVMGetBasicBlockTerminator(g->flow.block[block]) : g->x->inst[i];
	uint64_t limit = base_size(base, g->options->state_size);

	LLVMPositionBuilderBefore(g->b, before);
	call_guard_at(g, i, before, build_distance(g->b, pointer, base->value), LLVMIntUGT, limit - size, "access");
	return (struct checked){
		.root = pointer, .address = pointer, .at = i, .block = block, .size = size, .has_room = true};
}

bool guard_pointer(struct guards *g, int i, int block, const struct access *a, const struct base *base)
{
	LLVMValueRef address = LLVMGetOperand(g->x->inst[i], a->operand), pointer;
	uint64_t most;
	int64_t constant;
	int at;
	struct checked *c;

	if (base->kind != BASE_LOADED || !is_in_state(base) ||
		(g->plan->of[i].want & (WANT_COUNTED | WANT_OWN | WANT_EACH)))
		return false;
	pointer = pointer_of(g->layout, address, &most);
	if (!pointer || most + a->size > MAX_ROOM)
		return false;
	at = block_ahead(g, pointer, block);
	if (at == block && root_of(g->layout, address, &constant) == pointer)
		return false;
	c = find_checked(g, pointer, 0, most + a->size, false, i, block);
	if (c) {
		does_for(g, c->at, i);
	} else if ((c = new_checked(g)) != NULL) {
		*c = check_pointer(g, i, at, base, pointer, a->size, at != block);
	} else {
		g->failed = true;
		return true;
	}
	g->plan->of[i].ahead = true;
	if (most + a->size > c->size + g->traps->room)
		g->traps->room = most + a->size - c->size;
	return true;
}

/* ---- sums of an index ---- */

/* An index that is the sum of a number from before the loop and of the loop's own count, from 0 on. */
struct sum {
	LLVMValueRef number, count;
	int head, ahead; /* blocks: of the loop, and in front of it */
};

/* Is it a phi of the loop's head that is 0 at first, or its lower part? */
static bool counts_from_zero(const struct guards *g, LLVMValueRef v, int head)
{
	bool zero = false;

	if (LLVMIsATruncInst(v))
		v = LLVMGetOperand(v, 0);
	if (!LLVMIsAPHINode(v) || LLVMGetInstructionParent(v) != g->flow.block[head])
		return false;
	for (unsigned k = 0, n = LLVMCountIncoming(v); k < n; k++) {
		LLVMValueRef from = LLVMGetIncomingValue(v, k);

		if (flow_in_loop(&g->flow, flow_number(&g->flow, LLVMGetIncomingBlock(v, k)), head))
			continue;
		zero = LLVMIsAConstantInt(from) && LLVMIsNull(from);
		if (!zero)
			return false;
	}
	return zero;
}

/* Does each run that comes to the end of block `from` come to block `to`, before it comes to the loop's head again? */
static bool always_leads(const struct guards *g, int from, int to, int head)
{
	struct blocks using = {.list = {to}, .n = 1};

	return from == to || always_comes(g, from, from == head ? head : FLOW_NONE, &using);
}

static bool find_sum(const struct guards *g, LLVMValueRef index, int block, struct sum *s)
{
	LLVMValueRef v = LLVMIsAZExtInst(index) ? LLVMGetOperand(index, 0) : index;

	if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 32 && LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 64)
		return false;
	s->head = g->flow.loop[block];
	if (s->head == FLOW_NONE || !LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMAdd)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		int set;

		s->number = LLVMGetOperand(v, k);
		s->count = LLVMGetOperand(v, 1 - k);
		if (!LLVMIsAInstruction(s->number) || !counts_from_zero(g, s->count, s->head))
			continue;
		set = flow_number(&g->flow, LLVMGetInstructionParent(s->number));
		s->ahead = g->flow.idom[s->head];
		return set != FLOW_NONE && !flow_in_loop(&g->flow, set, s->head) &&
		       !flow_in_loop(&g->flow, s->ahead, s->head) && flow_dominates(&g->flow, set, s->ahead) &&
		       always_leads(g, s->ahead, s->head, FLOW_NONE) && always_leads(g, s->head, block, s->head);
	}
	return false;
}

bool guard_sum(struct guards *g, int i, int block, const struct access *a, const struct base *base)
{
	LLVMValueRef address = LLVMGetOperand(g->x->inst[i], a->operand), before, guard;
	uint64_t limit = base_size(base, g->options->state_size), most, reach;
	struct indexed x;
	struct sum s;

	if (base->kind != BASE_STATE || (g->plan->of[i].want & (WANT_OWN | WANT_EACH | WANT_COUNTED)) ||
		!one_index(g->layout, address, base->value, &x) || x.constant < 0 ||
		(uint64_t)x.constant > limit - a->size || !find_sum(g, x.index, block, &s))
		return false;
	reach = most_of(s.count, DEPTH);
	if (reach > MAX_ROOM || reach * x.scale + a->size > MAX_ROOM)
		return false;
	most = (limit - a->size - (uint64_t)x.constant) / x.scale;
	if (most >= UINT32_MAX)
		return false;
	before = LLVMGetBasicBlockTerminator(g->flow.block[s.ahead]);
	guard = call_guard_at(g, i, before, s.number, LLVMIntUGT, most, "access");
	replace_after(g, guard, s.ahead, s.number, guard);
	g->plan->of[i].ahead = true;
	if (reach * x.scale > g->traps->room)
		g->traps->room = reach * x.scale;
	return true;
}
