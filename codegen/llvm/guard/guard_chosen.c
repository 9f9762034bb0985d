/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards of accesses whose address is one of several: a pointer that was chosen, and then loaded or stored through.
 */
#include "guards.h"

/*
 * T load(address, trap, bases…), or void store(address, trap, bases…, value): one function for each place, as limits
 * and types differ.
 */
static LLVMValueRef access_function(struct guards *g, LLVMTypeRef type, LLVMValueRef *args, unsigned n_args,
	const struct base *bases, unsigned n, uint64_t size)
{
	LLVMTypeRef params[MAX_BASES + 3], i64 = LLVMInt64TypeInContext(g->ctx), none = LLVMVoidTypeInContext(g->ctx);
	LLVMValueRef fn, values[MAX_BASES], trap = trap_function(g->m), which, phi, address;
	LLVMBasicBlockRef next, found[MAX_BASES], done;
	unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", 12);

	for (unsigned k = 0; k < n_args; k++)
		params[k] = LLVMTypeOf(args[k]);
	fn = LLVMAddFunction(g->m, choice_name, LLVMFunctionType(type ? type : none, params, n_args, 0));
	LLVMSetLinkage(fn, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->ctx, inlined, 0));
	next = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	done = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	LLVMPositionBuilderAtEnd(g->b, next);
	LLVMSetCurrentDebugLocation2(g->b, NULL);
	address = opaque(g->b, LLVMGetParam(fn, 0)); /* what is added to it isn't added to the distances */
	for (unsigned b = 0; b < n; b++) {
		LLVMValueRef base = LLVMGetParam(fn, 2 + b), off, at;
		uint64_t limit = base_size(&bases[b], g->options->state_size);
		LLVMBasicBlockRef here = next;

		found[b] = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
		next = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
		LLVMPositionBuilderAtEnd(g->b, here);
		LLVMSetCurrentDebugLocation2(g->b, NULL);
		off = opaque(g->b, build_distance(g->b, address, base));
		if (limit < size || (!type && is_read_only(&bases[b]))) {
			LLVMBuildBr(g->b, next);
			LLVMPositionBuilderAtEnd(g->b, found[b]);
			LLVMBuildUnreachable(g->b);
			values[b] = NULL;
			continue;
		}
		LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULE, off, LLVMConstInt(i64, limit - size, 0), ""),
			found[b], next);
		LLVMPositionBuilderAtEnd(g->b, found[b]);
		at = LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base, &off, 1, "");
		values[b] = type ? LLVMBuildLoad2(g->b, type, at, "")
				 : LLVMBuildStore(g->b, LLVMGetParam(fn, n_args - 1), at);
		LLVMSetAlignment(values[b], 1);
		LLVMBuildBr(g->b, done);
	}
	LLVMPositionBuilderAtEnd(g->b, next);
	which = LLVMGetParam(fn, 1);
	LLVMBuildCall2(g->b, LLVMGlobalGetValueType(trap), trap, &which, 1, "");
	LLVMBuildUnreachable(g->b);
	LLVMPositionBuilderAtEnd(g->b, done);
	if (!type) {
		LLVMBuildRetVoid(g->b);
		return fn;
	}
	phi = LLVMBuildPhi(g->b, type, "");
	for (unsigned b = 0; b < n; b++)
		if (values[b])
			LLVMAddIncoming(phi, &values[b], &found[b], 1);
	LLVMBuildRet(g->b, phi);
	return fn;
}

void choose_base(struct guards *g, int i, const struct access *a)
{
	LLVMValueRef inst = g->x->inst[i], args[MAX_BASES + 3];
	bool load = LLVMIsALoadInst(inst) != NULL;
	struct base bases[MAX_BASES];
	unsigned n = bases_of(g->layout, g->fn, LLVMGetOperand(inst, a->operand), bases), k = 0;
	int trap = trap_at(g->traps, place_of_instruction(g->origin->inst[i]), "access");
	LLVMValueRef fn;

	g->failed |= trap < 0;
	g->plan->of[i].by = i + 1;
	if (n < 2 || (!load && !LLVMIsAStoreInst(inst)))
		return;
	args[k++] = LLVMGetOperand(inst, a->operand);
	args[k++] = LLVMConstInt(LLVMInt32TypeInContext(g->ctx), (unsigned)trap, 0);
	for (unsigned b = 0; b < n; b++) {
		suit_event(g, &bases[b], inst, a);
		args[k++] = bases[b].value;
	}
	if (!load)
		args[k++] = LLVMGetOperand(inst, 0);
	fn = access_function(g, load ? LLVMTypeOf(inst) : NULL, args, k, bases, n, a->size);
	LLVMPositionBuilderBefore(g->b, inst);
	fn = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, k, "");
	if (load)
		LLVMReplaceAllUsesWith(inst, fn);
	LLVMInstructionEraseFromParent(inst);
}
