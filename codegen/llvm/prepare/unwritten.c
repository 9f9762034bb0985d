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

/* A function that stays one may write to what it is passed. */
static bool calls_kept(LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;

	return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee);
}

static void note_instruction(struct candidates *c, LLVMValueRef fn, LLVMValueRef inst)
{
	struct import_buffer buffers[MAX_IMPORT_BUFFERS];
	unsigned n = import_buffers_of(inst, buffers);

	for (unsigned i = 0; i < n; i++)
		if (buffers[i].written)
			note_write(c, fn, LLVMGetOperand(inst, buffers[i].address));
	for (unsigned i = 0, args = calls_kept(inst) ? LLVMGetNumArgOperands(inst) : 0; i < args; i++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, i))) == LLVMPointerTypeKind)
			note_write(c, fn, LLVMGetOperand(inst, i));
	if (LLVMIsAStoreInst(inst))
		note_write(c, fn, LLVMGetOperand(inst, 1));
	else if (LLVMIsAMemIntrinsic(inst) || is_atomic_update(inst))
		note_write(c, fn, LLVMGetOperand(inst, 0));
}

/* What an address is taken on by: computed with, or chosen. The most that is followed. */
enum { MAX_FOLLOWED = 1024 };

static bool follows(LLVMValueRef user)
{
	return !LLVMIsALoadInst(user) && !LLVMIsAStoreInst(user) && !LLVMIsACallInst(user) && !LLVMIsAICmpInst(user);
}

/* Add to the list what is made of the address. Returns whether it is stored, or held by a variable. */
static bool held_by_user(LLVMValueRef address, LLVMValueRef list[MAX_FOLLOWED], unsigned *n)
{
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		unsigned i = 0;

		if (LLVMIsAGlobalVariable(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == address))
			return true;
		while (i < *n && list[i] != user)
			i++;
		if (!follows(user) || i < *n)
			continue;
		if (*n == MAX_FOLLOWED)
			return true;
		list[(*n)++] = user;
	}
	return false;
}

bool is_held(LLVMValueRef address)
{
	LLVMValueRef list[MAX_FOLLOWED] = {address};
	unsigned n = 1;

	for (unsigned i = 0; i < n; i++)
		if (held_by_user(list[i], list, &n))
			return true;
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
		if (!c.unknown || !is_held(c.of[i]))
			LLVMSetGlobalConstant(c.of[i], true);
	free(c.of);
	return true;
}
