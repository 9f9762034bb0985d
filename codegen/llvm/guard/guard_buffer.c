/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of buffers that are passed to imports: where they are, and how long. */
#include "guards.h"

#include "split_conditions.h"
#include "codegen/llvm/ir/allocas.h"

/*
 * From the guard on the length is what the guard has let through, for the author's code as well. What the author has it
 * bounded by is the limit, if that is less than what there is: a call costs as much as for its longest buffer.
 */
static LLVMValueRef guard_length(struct guards *g, int i, int block, unsigned operand, uint64_t most)
{
	LLVMValueRef inst = g->x->inst[i], length = LLVMGetOperand(inst, operand), guard;
	uint64_t tested;

	if (LLVMIsAConstantInt(length))
		return length;
	tested = most_in(&g->flow, block, length);
	most = tested < most ? tested : most;
	guard = call_guard(g, i, length, LLVMIntUGT, most, "access");
	LLVMSetOperand(inst, operand, guard);
	if (LLVMIsAInstruction(length))
		replace_after(g, guard, block, length, guard);
	return guard;
}

/*
 * A buffer whose place is known has its length compared with what there is from there on. Of any other the place is
 * compared, then the length, and then their sum, which stops what reaches beyond. The verifier, who follows no such
 * sum, grants the longest at the farthest place: so there must be room for that.
 */
void guard_buffer(struct guards *g, int i, int block, const struct import_buffer *l)
{
	LLVMValueRef inst = g->x->inst[i], address = LLVMGetOperand(inst, l->address),
		     length = LLVMGetOperand(inst, l->length), off;
	struct base base = base_of(g->layout, g->fn, address);
	uint64_t size = base_size(&base, g->options->state_size),
		 least = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
	int64_t constant;

	if (base.kind == BASE_NONE || least > size)
		return;
	if (root_of(g->layout, address, &constant) == base.value && base.kind != BASE_LOADED) {
		if (constant >= 0 && (uint64_t)constant <= size)
			guard_length(g, i, block, l->length, size - (uint64_t)constant);
		return;
	}
	LLVMPositionBuilderBefore(g->b, inst);
	off = call_guard(g, i, build_offset(g->b, g->layout, address, base.value), LLVMIntUGT, size - least, "access");
	LLVMSetOperand(inst, l->address, LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base.value, &off, 1, ""));
	length = guard_length(g, i, block, l->length, size);
	if (!LLVMIsAConstantInt(length))
		call_guard(g, i, LLVMBuildAdd(g->b, off, length, ""), LLVMIntUGT, size, "access");
	if (is_in_state(&base) && g->plan->of[i].room > g->traps->room)
		g->traps->room = g->plan->of[i].room;
}

void enlarge_variables(struct guards *g, LLVMValueRef call)
{
	struct import_buffer l[MAX_IMPORT_BUFFERS];

	for (unsigned k = 0, n = import_buffers_of(call, l); k < n; k++) {
		LLVMValueRef v = base_of(g->layout, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)),
			LLVMGetOperand(call, l[k].address))
					 .value;

		if (v && LLVMIsAAllocaInst(v) && LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) == 1) {
			drop_lifetimes(v);
			LLVMSetOperand(v, 0, LLVMConstInt(LLVMTypeOf(LLVMGetOperand(v, 0)), 2, 0));
		}
	}
}
