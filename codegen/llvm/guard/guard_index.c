/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of accesses by an index: the index is compared, and the compared value replaces it from there on. */
#include "guards.h"

/* Is the user, in the guard's block, behind the guard? */
static bool is_behind(LLVMValueRef guard, LLVMValueRef user)
{
	while (guard && guard != user)
		guard = LLVMGetNextInstruction(guard);
	return guard != NULL;
}

/* Is a use by this user, as operand k, reached only by way of the guard? */
static bool is_after(const struct guards *g, LLVMValueRef guard, int block, LLVMValueRef user, unsigned k)
{
	LLVMBasicBlockRef at = LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);

	if (at == g->flow.block[block])
		return LLVMIsAPHINode(user) || is_behind(LLVMGetNextInstruction(guard), user);
	return flow_number(&g->flow, at) != FLOW_NONE && flow_dominates(&g->flow, block, flow_number(&g->flow, at));
}

void replace_after(const struct guards *g, LLVMValueRef guard, int block, LLVMValueRef from, LLVMValueRef to)
{
	LLVMUseRef use, next;

	for (use = LLVMGetFirstUse(from); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		int n = LLVMIsAInstruction(user) ? LLVMGetNumOperands(user) : 0;

		next = LLVMGetNextUse(use);
		for (int k = 0; k < n; k++)
			if (LLVMGetOperandUse(user, (unsigned)k) == use && user != guard && user != to &&
				is_after(g, guard, block, user, (unsigned)k)) {
				LLVMSetOperand(user, (unsigned)k, to);
				break;
			}
	}
}

static const struct compared *find_compared(const struct guards *g, LLVMValueRef narrow, LLVMValueRef wide,
	const struct base *base, const struct indexed *x, uint64_t size, int at, int block)
{
	for (int i = g->n_compared; i-- > 0;) {
		const struct compared *c = &g->compared[i];
		uint64_t more = (uint64_t)(x->constant - c->constant);

		if ((c->from != narrow && c->to != narrow && c->from != wide && c->wide != wide) ||
			c->base != base->value || c->scale != x->scale || x->constant < c->constant)
			continue;
		if ((c->block == block ? c->at <= at : flow_dominates(&g->flow, c->block, block)) && more <= MAX_ROOM &&
			more + size <= c->size + (c->has_room ? MAX_ROOM : 0))
			return c;
	}
	return NULL;
}

/* Can it be seen that the number isn't below 0? */
static bool is_positive(LLVMValueRef v)
{
	LLVMValueRef by = LLVMIsAInstruction(v) && LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
	int64_t n = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetSExtValue(by) : 0;

	if (n <= 0)
		return LLVMIsAZExtInst(v);
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMAnd:
	case LLVMLShr:
	case LLVMURem: return true;
	case LLVMUDiv: return n > 1;
	default: return false;
	}
}

/*
 * The index may be below 0, by as much as the constant makes good: of a[x + 1] the optimiser makes x and a distance of
 * one element more, if it knows that x can't be the largest number. So it is compared as many elements ahead as there
 * are in the distance.
 */
static const struct compared *compare_ahead(struct guards *g, int i, int block, const struct base *base,
	const struct indexed *x, uint64_t size, uint64_t most)
{
	struct compared *c = &g->compared[g->n_compared++];
	int64_t ahead = x->constant / (int64_t)x->scale;
	LLVMValueRef sum, guard;

	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	sum = LLVMBuildAdd(g->b, x->index, LLVMConstInt(LLVMTypeOf(x->index), (uint64_t)ahead, 0), "");
	guard = call_guard(g, i, sum, LLVMIntUGT, most + (uint64_t)ahead, "access");
	*c = (struct compared){x->index, guard, guard, base->value, x->scale, size, x->constant, ahead, i, block,
		base->kind == BASE_STATE};
	return c;
}

static const struct compared *compare_index(struct guards *g, int i, int block, LLVMValueRef narrow,
	const struct base *base, const struct indexed *x, uint64_t size, uint64_t most)
{
	struct compared *c = &g->compared[g->n_compared++];
	bool wide = narrow == x->index || LLVMIsALoadInst(narrow);
	LLVMValueRef guarded = wide ? x->index : narrow, guard = call_guard(g, i, guarded, LLVMIntUGT, most, "access");

	*c = (struct compared){
		narrow, guard, guard, base->value, x->scale, size, x->constant, 0, i, block, base->kind == BASE_STATE};
	replace_after(g, guard, block, guarded, guard);
	if (narrow != x->index && wide) {
		c->to = LLVMBuildTrunc(g->b, guard, LLVMTypeOf(narrow), "");
		replace_after(g, c->to, block, narrow, c->to);
	} else if (narrow != x->index) {
		c->wide = LLVMBuildZExt(g->b, guard, LLVMTypeOf(x->index), "");
		replace_after(g, c->wide, block, x->index, c->wide);
	}
	return c;
}

/*
 * An extended index is guarded before it is, if there is more that it is used for; but what was just loaded has been
 * extended by that, and would be once more if its guard were of 32 bits.
 */
bool guard_index(struct guards *g, int i, int block, const struct access *a, const struct base *base)
{
	LLVMValueRef inst = g->x->inst[i], narrow, address;
	uint64_t limit = base_size(base, g->options->state_size), most, reach;
	const struct compared *c;
	struct indexed x;

	if (base->kind == BASE_LOADED || !one_index(g->layout, LLVMGetOperand(inst, a->operand), base->value, &x) ||
		x.constant < 0 || (uint64_t)x.constant > limit - a->size || g->n_compared == MAX_COMPARED)
		return false;
	narrow = x.index;
	if (LLVMIsAZExtInst(narrow) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(narrow, 0))) == 32 &&
		LLVMGetNextUse(LLVMGetFirstUse(LLVMGetOperand(narrow, 0))))
		narrow = LLVMGetOperand(narrow, 0);
	most = (limit - a->size - (uint64_t)x.constant) / x.scale;
	c = has_own_guard(g, i) ? NULL : find_compared(g, narrow, x.index, base, &x, a->size, i, block);
	if (c)
		does_for(g, c->at, i);
	else if ((uint64_t)x.constant >= x.scale && !is_positive(x.index))
		c = compare_ahead(g, i, block, base, &x, a->size, most);
	else
		c = compare_index(g, i, block, narrow, base, &x, a->size, most);
	LLVMPositionBuilderBefore(g->b, inst);
	address = LLVMBuildMul(g->b, c->wide, LLVMConstInt(LLVMTypeOf(c->wide), x.scale, 0), "");
	address = LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base->value, &address, 1, "");
	LLVMSetOperand(inst, a->operand, add_constant(g, address, x.constant - c->ahead * (int64_t)x.scale));
	reach = (uint64_t)(x.constant - c->constant) + a->size;
	if (reach > c->size + g->traps->room)
		g->traps->room = reach - c->size;
	return true;
}
