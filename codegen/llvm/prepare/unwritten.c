/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that nothing writes to are constants, whether they are declared so or not. LLVM finds most of them. This
 * is for those that hold addresses, and of which one leads to another: only constants can do that (constants.c).
 *
 * It looks at optimised code, where all that a probe function does is in one body: at what each store and copy and
 * import may write to. A pointer that was loaded, or of which nothing is known, may lead to any variable whose address
 * is stored, or held by another variable that stays one. It serves the author: what is read-only is so for the
 * verifier, too, which refuses a write to it.
 */
#include <stdlib.h>

#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/import_buffers.h"
#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

struct candidates {
	LLVMTargetDataRef layout;
	LLVMValueRef *of;
	size_t n;
	bool unknown; /* something is written to through a pointer that may lead anywhere */
};

static bool is_candidate(LLVMValueRef g)
{
	return !LLVMIsDeclaration(g) && !LLVMIsGlobalConstant(g) && !LLVMGetSection(g) && !LLVMIsThreadLocal(g) &&
	       LLVMGetLinkage(g) == LLVMInternalLinkage && address_in(LLVMGetInitializer(g), NULL, 0);
}

static void store_drop(struct candidates *c, LLVMValueRef g)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->of[i] == g)
			c->of[i] = c->of[--c->n];
}

static void note_write(struct candidates *c, LLVMValueRef fn, LLVMValueRef address)
{
	struct base from[MAX_BASES];
	unsigned n = bases_of(c->layout, fn, address, from);

	c->unknown |= n == 0;
	for (unsigned i = 0; i < n; i++) {
		c->unknown |= from[i].kind == BASE_NONE || from[i].kind == BASE_LOADED;
		if (from[i].kind == BASE_OBJECT)
			store_drop(c, from[i].value);
	}
}

static void note_instruction(struct candidates *c, LLVMValueRef fn, LLVMValueRef inst)
{
	struct import_buffer buffers[MAX_IMPORT_BUFFERS];
	unsigned n = import_buffers_of(inst, buffers);

	for (unsigned i = 0; i < n; i++)
		if (buffers[i].written)
			note_write(c, fn, LLVMGetOperand(inst, buffers[i].address));
	if (LLVMIsAStoreInst(inst))
		note_write(c, fn, LLVMGetOperand(inst, 1));
	else if (LLVMIsAMemIntrinsic(inst))
		note_write(c, fn, LLVMGetOperand(inst, 0));
}

/* Is its address somewhere in memory, from where it may be loaded? */
static bool is_held(LLVMValueRef v, int depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAGlobalVariable(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == v) ||
			depth > 8)
			return true;
		if (!LLVMIsALoadInst(user) && !LLVMIsAStoreInst(user) && !LLVMIsACallInst(user) &&
			!LLVMIsAICmpInst(user) && !LLVMIsAPHINode(user) && is_held(user, depth + 1))
			return true;
	}
	return false;
}

bool settle_unwritten(LLVMModuleRef m)
{
	struct candidates c = {.layout = LLVMGetModuleDataLayout(m)};
	size_t n = 0;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		n += is_candidate(g);
	if (!n)
		return true;
	c.of = calloc(n, sizeof(LLVMValueRef));
	if (!c.of)
		return false;
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_candidate(g))
			c.of[c.n++] = g;
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
				inst = LLVMGetNextInstruction(inst))
				note_instruction(&c, fn, inst);
	for (size_t i = 0; i < c.n; i++)
		if (!c.unknown || !is_held(c.of[i], 0))
			LLVMSetGlobalConstant(c.of[i], true);
	free(c.of);
	return true;
}
