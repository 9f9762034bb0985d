/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the dialect refuses because of where addresses lead. Only the optimised code tells that, where pointers have
 * been followed through local variables and calls.
 *
 * - Local variables are gone when the probe returns, and so is the event. What outlives the probe may not keep their
 *   addresses.
 * - A loaded pointer is compared with all variables whose addresses are stored (points_to.c), so there can't be many of
 *   them.
 * - The event is for reading only.
 * - In the kernel there are no variables but the state's.
 * - Local variables share one small stack; what is large has room elsewhere (prepare/large_locals.c), up to a limit.
 */
#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/points_to.h"
#include "codegen/llvm/ir/ptr_int.h"
#include "codegen/llvm/ir/probe.h"
#include "dialect.h"
#include "ward/verify.h"
#include "codegen/llvm/ir/allocas.h"
#include "ward/verify.h"

static const char gone[] = "it is gone when the probe returns: store what it holds";
enum { MAX_ESCAPED = MAX_BASES - 2 }; /* a place that is chosen may be in one more, and in the state */

static bool is_local(const struct base *b)
{
	return b->kind == BASE_OBJECT && LLVMIsAAllocaInst(b->value);
}

static void check_pointer(
	LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef store, LLVMValueRef pointer, struct diags *d)
{
	struct base from[MAX_BASES];
	unsigned n = bases_of(layout, fn, pointer, from);

	for (unsigned i = 0; i < n; i++) {
		struct place at = place_of_instruction(store);

		if (is_local(&from[i]))
			diag_add(d, at, gone, "the address of a local variable is stored");
		else if (from[i].kind == BASE_EVENT)
			diag_add(d, at, gone, "the address of the event is stored");
	}
}

/* Is the address of something stored where it outlives that? */
static void check_value(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef store, struct diags *d)
{
	struct base to = base_of(layout, fn, LLVMGetOperand(store, 1));
	LLVMValueRef v = LLVMGetOperand(store, 0), inside[MAX_INSIDE];
	int n = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? 0 : pointers_inside(v, inside);

	if (to.kind == BASE_NONE || is_local(&to))
		return;
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
		check_pointer(layout, fn, store, v, d);
	for (int i = 0; i < n; i++)
		check_pointer(layout, fn, store, inside[i], d);
}

/* LLVM makes a loop of these, to find out what was there before. */
static bool is_used_logic(LLVMValueRef inst)
{
	LLVMAtomicRMWBinOp op = LLVMIsAAtomicRMWInst(inst) ? LLVMGetAtomicRMWBinOp(inst) : LLVMAtomicRMWBinOpAdd;

	return (op == LLVMAtomicRMWBinOpAnd || op == LLVMAtomicRMWBinOpOr || op == LLVMAtomicRMWBinOpXor) &&
	       LLVMGetFirstUse(inst);
}

static void check_instruction(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef inst, struct diags *d)
{
	struct access a[2];
	unsigned n = accesses_of(layout, inst, a);
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);

	if (op == LLVMStore)
		check_value(layout, fn, inst, d);
	if (is_used_logic(inst))
		diag_add(d, place_of_instruction(inst), update_hint,
			"an atomic update whose result is used, and for which there is no instruction");
	if (n && access_writes(inst, &a[0]) &&
		base_of(layout, fn, LLVMGetOperand(inst, a[0].operand)).kind == BASE_EVENT)
		diag_add(d, place_of_instruction(inst), "keep what changes in the state",
			"a write to the event, which is for reading only");
}

/*
 * Above what any limit may be. What is above the one that is set may come out smaller yet; the verifier says so if it
 * doesn't.
 */
static void check_frame(LLVMTargetDataRef layout, LLVMValueRef fn, bool kernel, uint32_t max_stack, struct diags *d)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
	unsigned long long size = 0;
	char name[256];

	for (; inst; inst = LLVMGetNextInstruction(inst))
		if (LLVMIsAAllocaInst(inst))
			size += variable_size(layout, inst);
	if (size > WARD_STACK_CEILING)
		diag_add(d, place_of_function(fn),
			kernel ? "put what is large into the state: it is each processor's own"
			       : "put what is large into the state: it is each thread's own",
			"the local variables of '%s' take %llu bytes of stack; at most %u",
			name_in_source(fn, name, sizeof(name)), size, max_stack ? max_stack : WARD_DEFAULT_MAX_STACK);
}

static void check_number(LLVMValueRef fn, struct diags *d)
{
	LLVMValueRef escaped[MAX_ESCAPED + 1];

	if (escaped_variables(fn, escaped, MAX_ESCAPED + 1) > MAX_ESCAPED)
		diag_add(d, place_of_function(fn), "make them one array, or members of one struct",
			"addresses of more than %d variables are stored: a pointer that is loaded again may lead to "
			"any of them",
			MAX_ESCAPED);
}

/* The kernel has no place for them. What nobody writes to is constant by now. */
static void check_shared(LLVMModuleRef m, struct diags *d)
{
	char name[256];

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && !LLVMIsGlobalConstant(g) && LLVMGetFirstUse(g) &&
			LLVMGetLinkage(g) != LLVMAppendingLinkage)
			diag_add(d, place_of_global(g), "put it into the state: each processor has its own",
				"'%s' is written to, and the kernel has no place for a probe's variables",
				name_in_source(g, name, sizeof(name)));
}

void check_escapes(LLVMModuleRef m, bool kernel, uint32_t max_stack, struct diags *d)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
	LLVMValueRef fn, inst;
	LLVMBasicBlockRef block;
	size_t before;

	if (kernel)
		check_shared(m, d);
	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		if (LLVMIsDeclaration(fn) || !is_entry(fn) || !has_entry_type(fn))
			continue;
		before = d->n;
		check_number(fn, d);
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
				check_instruction(layout, fn, inst, d);
		if (d->n == before) /* a variable whose address is stored may be what is on the stack for that */
			check_frame(layout, fn, kernel, max_stack, d);
	}
}
