/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is permitted and hardly meant: endless loops, which stop every run that comes to them; sites where a module of
 * this profile is never attached; and variables of a function that look private to it, and that all threads share.
 * It is checked on clang's unoptimised output, as the dialect is: later an endless loop has taken with it what stands
 * behind it.
 */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/cfg.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/prepare/memory.h"
#include "dialect.h"
#include "codegen/base/site.h"

/* Blocks from which no way leads out of the function. NULL: no memory. */
static bool *find_endless(const struct flow *f)
{
	bool *endless = malloc((size_t)f->n + 1), changed = true;

	if (!endless)
		return NULL;
	memset(endless, true, (size_t)f->n + 1);
	while (changed) {
		changed = false;
		for (int b = f->n - 1; b >= 0; b--) {
			LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[b]);
			unsigned n = LLVMGetNumSuccessors(last);
			bool leaves = n == 0;

			for (unsigned i = 0; i < n; i++)
				leaves |= !endless[flow_number(f, LLVMGetSuccessor(last, i))];
			changed |= leaves && endless[b];
			endless[b] &= !leaves;
		}
	}
	return endless;
}

/* The branch back to the first head of a loop among the blocks, which is the outermost; or NULL. */
static LLVMValueRef find_branch(const struct flow *f, const bool *endless)
{
	int head = 0;

	while (head < f->n && !(endless[head] && f->head[head]))
		head++;
	for (int b = head; b < f->n; b++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[b]);

		for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
			if (flow_number(f, LLVMGetSuccessor(last, i)) == head)
				return last;
	}
	return NULL;
}

static void warn_of_endless(LLVMValueRef fn, struct diags *d)
{
	struct flow f;
	bool *endless = flow_init(&f, fn) ? find_endless(&f) : NULL;
	LLVMValueRef back = endless ? find_branch(&f, endless) : NULL;

	d->no_memory |= !endless;
	if (back)
		diag_add(d, place_of_instruction(back), NULL,
			"nothing ends this loop: each run that reaches it is stopped there");
	free(endless);
	flow_free(&f);
}

static void warn_of_site(LLVMValueRef fn, bool kernel, struct diags *d)
{
	const char *site = LLVMGetSection(fn) + strlen("ward!");
	char name[256];
	uint32_t kind;

	/* none, or an end alone, or an error */
	if (site[0] == '\0' || site[0] == ':' || !cg_site_kind(site, &kind) || cg_site_fits(site, kernel))
		return;
	diag_add(d, place_of_function(fn),
		kernel ? "compile it for processes, without --profile kernel and --kernel, from a file of its own"
		       : "compile it for the kernel, ward cc --profile kernel or ward trace --kernel, from a file of "
			 "its own",
		"the site '%.100s' of '%s' is %s, and the module is for %s", site,
		name_in_source(fn, name, sizeof(name)), kernel ? "a process's" : "the kernel's",
		kernel ? "the kernel" : "processes");
}

/* Is it declared within a function? Those of a file are seen to be shared. */
static bool is_static_local(LLVMValueRef g)
{
	bool local = false;
	size_t n = 0;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(g, &n);

	for (size_t i = 0; i < n; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i), scope = NULL;
		LLVMMetadataKind kind = 0;

		if (LLVMGetMetadataKind(md) == LLVMDIGlobalVariableExpressionMetadataKind)
			scope = LLVMDIVariableGetScope(LLVMDIGlobalVariableExpressionGetVariable(md));
		kind = scope ? LLVMGetMetadataKind(scope) : 0;
		local |= kind == LLVMDISubprogramMetadataKind || kind == LLVMDILexicalBlockMetadataKind;
	}
	LLVMDisposeValueMetadataEntries(entries);
	return local;
}

/* Does the source write there, by the variable's name? */
static bool is_written(LLVMValueRef address)
{
	bool written = false;

	for (LLVMUseRef use = LLVMGetFirstUse(address); use && !written; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use), callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;

		if (LLVMIsAStoreInst(user))
			written = LLVMGetOperand(user, 1) == address;
		else if (callee && LLVMIsAFunction(callee))
			written = LLVMGetOperand(user, 0) == address &&
				  (LLVMIsAMemIntrinsic(user) || is_import(callee) || is_memory_writer(callee));
		else if (LLVMIsAGetElementPtrInst(user) ||
			 (LLVMIsAConstantExpr(user) && LLVMGetConstOpcode(user) == LLVMGetElementPtr))
			written = LLVMGetOperand(user, 0) == address && is_written(user);
	}
	return written;
}

static void warn_of_static(LLVMValueRef g, struct diags *d)
{
	char name[256];

	if (!LLVMIsDeclaration(g) && !LLVMIsGlobalConstant(g) && is_static_local(g) && is_written(g))
		diag_add(d, place_of_global(g),
			"put it into the state, of which each thread has its own; WARD_PRIVATE(...) if it is not to be "
			"shown",
			"all threads write the one '%s'", name_in_source(g, name, sizeof(name)));
}

void warn_of_endless_loops(LLVMModuleRef m, struct diags *d)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn))
			warn_of_endless(fn, d);
}

void warn(LLVMModuleRef m, bool kernel, struct diags *d)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		if (is_entry(fn) && !LLVMIsDeclaration(fn))
			warn_of_site(fn, kernel, d);
	}
	for (LLVMValueRef g = kernel ? NULL : LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		warn_of_static(g, d); /* the kernel's profile refuses them (escape.c) */
}
