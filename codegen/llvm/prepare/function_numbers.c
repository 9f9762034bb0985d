/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions as values: passed to other functions, chosen from tables, kept in variables.
 *
 * A probe has no indirect call, and its module can hold no address. So a function whose address is taken gets a number,
 * from 1 on, and the number takes the place of its address: zero still means NULL, and pointers compare as before. A
 * call through a pointer becomes a call of a function of ours, which asks for the number: one direct call for each
 * numbered function of the called type. All of them are inlined. What the compiler knows of the number then leaves one
 * of them, or a switch. A number of none of them stops the run.
 *
 * The verifier sees nothing but comparisons and jumps.
 */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

static const char chooser_name[] = "ward.choose";

struct numbers {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	LLVMTypeRef i64, pointer;
	struct diags *d;
	LLVMValueRef *fn; /* number i + 1 */
	unsigned n;
	bool no_memory;
};

bool is_chooser(LLVMValueRef fn)
{
	size_t n;

	return strncmp(LLVMGetValueName2(fn, &n), chooser_name, sizeof(chooser_name) - 1) == 0;
}

/* ---- whose address is taken ---- */

static bool is_callee(LLVMValueRef user, LLVMValueRef fn)
{
	bool called = LLVMIsACallInst(user) && LLVMGetCalledValue(user) == fn;

	for (int i = 0; called && i + 1 < LLVMGetNumOperands(user); i++)
		called = LLVMGetOperand(user, (unsigned)i) != fn; /* it may be passed to itself */
	return called;
}

bool can_be_value(LLVMValueRef fn)
{
	if (LLVMIsDeclaration(fn) || is_entry(fn))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use))
		if (LLVMIsABlockAddress(LLVMGetUser(use)))
			return false;
	return true;
}

/* Lists of what is to be kept hold names. */
static bool is_listed(LLVMModuleRef m, LLVMValueRef fn)
{
	static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		LLVMValueRef g = LLVMGetNamedGlobal(m, lists[i]), list = g ? LLVMGetInitializer(g) : NULL;

		for (int k = 0; list && k < LLVMGetNumOperands(list); k++)
			if (LLVMGetOperand(list, (unsigned)k) == fn)
				return true;
	}
	return false;
}

static bool is_taken(LLVMModuleRef m, LLVMValueRef fn)
{
	if (!can_be_value(fn) || is_listed(m, fn))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use))
		if (!is_callee(LLVMGetUser(use), fn))
			return true;
	return false;
}

static void find_taken(struct numbers *x)
{
	unsigned n = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(x->m); fn; fn = LLVMGetNextFunction(fn))
		n += is_taken(x->m, fn);
	x->fn = calloc(n + 1, sizeof(LLVMValueRef));
	x->no_memory |= !x->fn;
	for (LLVMValueRef fn = LLVMGetFirstFunction(x->m); x->fn && fn; fn = LLVMGetNextFunction(fn))
		if (is_taken(x->m, fn))
			x->fn[x->n++] = fn;
}

/* ---- the number in place of the address ---- */

static LLVMValueRef number_of(const struct numbers *x, unsigned i)
{
	return LLVMConstIntToPtr(LLVMConstInt(x->i64, i + 1, 0), x->pointer);
}

static void replace_address(struct numbers *x, unsigned i)
{
	LLVMValueRef *calls, fn = x->fn[i];
	size_t n = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use))
		n++;
	calls = calloc(n + 1, sizeof(LLVMValueRef));
	x->no_memory |= !calls;
	if (!calls)
		return;
	n = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == fn)
			calls[n++] = user;
	}
	LLVMReplaceAllUsesWith(fn, number_of(x, i));
	while (n-- > 0)
		LLVMSetOperand(calls[n], (unsigned)LLVMGetNumOperands(calls[n]) - 1, fn);
	free(calls);
}

/* ---- initialisers: where a number is, the type is one ---- */

static bool is_number(LLVMValueRef v)
{
	return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr &&
	       LLVMIsAConstantInt(LLVMGetOperand(v, 0));
}

static unsigned n_parts(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMArrayTypeKind: return (unsigned)LLVMGetArrayLength2(type);
	case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
	default: return 0;
	}
}

/* Do the constants have numbers at their pointers, and nothing else than numbers and null pointers? */
static bool are_numbers(LLVMValueRef *of, unsigned n, bool *mixed)
{
	bool number = false, other = false;

	for (unsigned i = 0; i < n; i++) {
		number |= is_number(of[i]);
		other |= !is_number(of[i]) && !LLVMIsNull(of[i]) && !LLVMIsUndef(of[i]);
	}
	*mixed |= number && other;
	return number && !other;
}

/* The elements of an array of each of the constants, or one member of each. Malloc'd. */
static LLVMValueRef *parts_of(LLVMValueRef *of, unsigned n, unsigned first, unsigned end)
{
	LLVMValueRef *parts = calloc((size_t)n * (end - first) + 1, sizeof(LLVMValueRef));

	for (unsigned i = 0; parts && i < n; i++)
		for (unsigned k = first; k < end; k++)
			parts[i * (end - first) + k - first] = LLVMGetAggregateElement(of[i], k);
	return parts;
}

/* The type that constants of one type get together. */
static LLVMTypeRef number_type(struct numbers *x, LLVMTypeRef type, LLVMValueRef *of, unsigned n, bool *mixed)
{
	unsigned parts = n_parts(type);
	bool array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
	LLVMTypeRef *types;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return are_numbers(of, n, mixed) ? x->i64 : type;
	if (!parts || LLVMIsAConstantDataSequential(of[0]))
		return type;
	types = calloc(parts, sizeof(LLVMTypeRef));
	for (unsigned i = 0; types && i < (array ? 1 : parts); i++) {
		LLVMValueRef *part = parts_of(of, n, i, array ? parts : i + 1);

		types[i] = array ? LLVMGetElementType(type) : LLVMStructGetTypeAtIndex(type, i);
		x->no_memory |= !part;
		if (part)
			types[i] = number_type(x, types[i], part, array ? n * parts : n, mixed);
		free(part);
	}
	x->no_memory |= !types;
	if (types && array && types[0] != LLVMGetElementType(type))
		type = LLVMArrayType2(types[0], parts);
	for (unsigned i = 0; types && !array && i < parts; i++)
		if (types[i] != LLVMStructGetTypeAtIndex(type, i)) {
			type = LLVMStructTypeInContext(x->ctx, types, parts, LLVMIsPackedStruct(type));
			break;
		}
	free(types);
	return type;
}

static LLVMValueRef number_value(struct numbers *x, LLVMTypeRef type, LLVMValueRef v)
{
	unsigned n = n_parts(type);
	LLVMValueRef *parts, whole;

	if (type == LLVMTypeOf(v))
		return v;
	if (!n)
		return is_number(v) ? LLVMGetOperand(v, 0) : LLVMConstNull(type);
	parts = calloc(n, sizeof(LLVMValueRef));
	x->no_memory |= !parts;
	if (!parts)
		return LLVMConstNull(type);
	for (unsigned i = 0; i < n; i++)
		parts[i] = number_value(x,
			LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetElementType(type)
								   : LLVMStructGetTypeAtIndex(type, i),
			LLVMGetAggregateElement(v, i));
	whole = LLVMGetTypeKind(type) == LLVMArrayTypeKind
			? LLVMConstArray2(LLVMGetElementType(type), parts, n)
			: LLVMConstStructInContext(x->ctx, parts, n, LLVMIsPackedStruct(type));
	free(parts);
	return whole;
}

/* The same variable, of another type. */
static LLVMValueRef global_like(struct numbers *x, LLVMValueRef g, LLVMTypeRef type)
{
	LLVMValueRef to = LLVMAddGlobal(x->m, type, "");
	size_t n = 0;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(g, &n);
	char *name = strdup(LLVMGetValueName2(g, &(size_t){0}));

	for (unsigned i = 0; i < n; i++)
		LLVMGlobalSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
			LLVMValueMetadataEntriesGetMetadata(entries, i));
	LLVMDisposeValueMetadataEntries(entries);
	LLVMSetInitializer(to, LLVMConstNull(type));
	LLVMSetLinkage(to, LLVMGetLinkage(g));
	LLVMSetVisibility(to, LLVMGetVisibility(g));
	LLVMSetAlignment(to, LLVMGetAlignment(g));
	LLVMSetGlobalConstant(to, LLVMIsGlobalConstant(g));
	LLVMSetThreadLocal(to, LLVMIsThreadLocal(g));
	if (LLVMGetSection(g))
		LLVMSetSection(to, LLVMGetSection(g));
	LLVMSetUnnamedAddress(to, LLVMGetUnnamedAddress(g));
	LLVMReplaceAllUsesWith(g, to);
	LLVMSetValueName2(g, "", 0);
	x->no_memory |= !name;
	if (name)
		LLVMSetValueName2(to, name, strlen(name));
	free(name);
	return to;
}

static void number_global(struct numbers *x, LLVMValueRef g)
{
	LLVMValueRef v = LLVMGetInitializer(g), to;
	LLVMTypeRef type;
	bool mixed = false;
	char name[256];

	if (!v || LLVMGetLinkage(g) == LLVMAppendingLinkage)
		return;
	type = number_type(x, LLVMTypeOf(v), &v, 1, &mixed);
	if (mixed)
		diag_add(x->d, place_of_global(g), "keep them in members of their own, or in tables of their own",
			"the initialiser of '%s' holds addresses of functions and of other things in one place",
			name_in_source(g, name, sizeof(name)));
	if (type == LLVMTypeOf(v) || x->no_memory)
		return;
	to = global_like(x, g, type);
	LLVMSetInitializer(to, number_value(x, type, LLVMGetInitializer(g)));
	LLVMDeleteGlobal(g);
}

/* ---- calls ---- */

/* How arguments are passed: what caller and callee must agree on. */
static bool says_how_passed(LLVMAttributeRef a)
{
	static const char *const names[] = {"byval", "sret", "signext", "zeroext", "align"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!LLVMIsStringAttribute(a) &&
			LLVMGetEnumAttributeKind(a) == LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])))
			return true;
	return false;
}

/* Those of a function, at result and parameters: to another one, or to a call of it. */
void copy_passing(LLVMValueRef from, LLVMValueRef fn, LLVMValueRef call)
{
	LLVMAttributeRef list[32];

	for (unsigned i = 0; i <= LLVMCountParams(from); i++) {
		unsigned n = LLVMGetAttributeCountAtIndex(from, i);

		if (n > sizeof(list) / sizeof(list[0]))
			continue;
		LLVMGetAttributesAtIndex(from, i, list);
		for (unsigned k = 0; k < n; k++) {
			if (!says_how_passed(list[k]))
				continue;
			if (fn)
				LLVMAddAttributeAtIndex(fn, i, list[k]);
			else
				LLVMAddCallSiteAttribute(call, i, list[k]);
		}
	}
}

/* A block that calls the function with our parameters, and returns what it returns. */
static LLVMBasicBlockRef call_block(
	struct numbers *x, LLVMValueRef chooser, LLVMValueRef fn, LLVMValueRef *args, LLVMMetadataRef place)
{
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(x->ctx, chooser, "");
	LLVMTypeRef type = LLVMGlobalGetValueType(fn);
	LLVMValueRef call;

	LLVMPositionBuilderAtEnd(x->b, block);
	LLVMSetCurrentDebugLocation2(x->b, place);
	call = LLVMBuildCall2(x->b, type, fn, args, LLVMCountParams(fn), "");
	copy_passing(fn, NULL, call);
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(x->b);
	else
		LLVMBuildRet(x->b, call);
	LLVMSetCurrentDebugLocation2(x->b, NULL);
	return block;
}

/* A function of the called type, and of the pointer after its parameters. */
static LLVMValueRef add_chooser(struct numbers *x, LLVMTypeRef called)
{
	unsigned n = LLVMCountParamTypes(called);
	LLVMTypeRef *types = calloc(n + 1, sizeof(LLVMTypeRef));
	LLVMValueRef chooser;

	x->no_memory |= !types;
	if (!types)
		return NULL;
	LLVMGetParamTypes(called, types);
	types[n] = x->pointer;
	chooser = LLVMAddFunction(x->m, chooser_name, LLVMFunctionType(LLVMGetReturnType(called), types, n + 1, 0));
	LLVMSetLinkage(chooser, LLVMInternalLinkage);
	free(types);
	return chooser;
}

static void stop_call(struct numbers *x, LLVMMetadataRef place)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(x->ctx), NULL, 0, 0);
	LLVMValueRef stop = LLVMGetNamedFunction(x->m, stop_no_function);

	if (!stop)
		stop = LLVMAddFunction(x->m, stop_no_function, type);
	LLVMSetCurrentDebugLocation2(x->b, place);
	LLVMBuildCall2(x->b, type, stop, NULL, 0, "");
	LLVMBuildUnreachable(x->b);
	LLVMSetCurrentDebugLocation2(x->b, NULL);
}

/* The type that the called function has: of one that is declared without parameters, as the arguments are. */
static LLVMTypeRef called_type(struct numbers *x, LLVMValueRef call)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call), *types;
	unsigned n = LLVMGetNumArgOperands(call);

	if (!LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type))
		return type;
	types = calloc(n + (size_t)1, sizeof(LLVMTypeRef));
	x->no_memory |= !types;
	for (unsigned i = 0; types && i < n; i++)
		types[i] = LLVMTypeOf(LLVMGetOperand(call, i));
	if (types)
		type = LLVMFunctionType(LLVMGetReturnType(type), types, n, 0);
	free(types);
	return type;
}

static LLVMValueRef chooser_for(struct numbers *x, LLVMValueRef call)
{
	LLVMTypeRef called = called_type(x, call);
	LLVMValueRef chooser = add_chooser(x, called), choice, *args;
	unsigned n = LLVMCountParamTypes(called);
	LLVMBasicBlockRef first, other;

	args = calloc(n + 1, sizeof(LLVMValueRef));
	x->no_memory |= !args;
	if (!chooser || !args) {
		free(args);
		return NULL;
	}
	LLVMGetParams(chooser, args);
	first = LLVMAppendBasicBlockInContext(x->ctx, chooser, "");
	other = LLVMAppendBasicBlockInContext(x->ctx, chooser, "");
	LLVMPositionBuilderAtEnd(x->b, other);
	stop_call(x, LLVMInstructionGetDebugLoc(call));
	LLVMPositionBuilderAtEnd(x->b, first);
	choice = LLVMBuildSwitch(x->b, LLVMBuildPtrToInt(x->b, args[n], x->i64, ""), other, x->n);
	for (unsigned i = 0; i < x->n; i++)
		if (LLVMGlobalGetValueType(x->fn[i]) == called) {
			copy_passing(x->fn[i], chooser, NULL);
			LLVMAddCase(choice, LLVMConstInt(x->i64, i + 1, 0),
				call_block(x, chooser, x->fn[i], args, LLVMInstructionGetDebugLoc(call)));
		}
	free(args);
	return chooser;
}

static bool has_candidate(const struct numbers *x, LLVMTypeRef called)
{
	for (unsigned i = 0; i < x->n; i++)
		if (LLVMGlobalGetValueType(x->fn[i]) == called)
			return true;
	return false;
}

static void number_choose(struct numbers *x, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), chooser, direct, *args;
	unsigned n = LLVMGetNumArgOperands(call);

	if (!has_candidate(x, called_type(x, call))) {
		diag_add(x->d, place_of_instruction(call),
			"a pointer can lead to functions of the module whose type is the pointer's, and none of those "
			"is a value anywhere",
			"call through a pointer, which leads to no function");
		return;
	}
	chooser = chooser_for(x, call);
	args = calloc(n + 1, sizeof(LLVMValueRef));
	x->no_memory |= !args;
	if (!chooser || !args) {
		free(args);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		args[i] = LLVMGetOperand(call, i);
	args[n] = callee;
	LLVMPositionBuilderBefore(x->b, call);
	LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(call));
	direct = LLVMBuildCall2(x->b, LLVMGlobalGetValueType(chooser), chooser, args, n + 1, "");
	LLVMSetCurrentDebugLocation2(x->b, NULL);
	copy_passing(chooser, NULL, direct);
	LLVMReplaceAllUsesWith(call, direct);
	LLVMInstructionEraseFromParent(call);
	free(args);
}

static bool is_indirect(LLVMValueRef inst)
{
	return LLVMIsACallInst(inst) && !LLVMIsAFunction(LLVMGetCalledValue(inst)) &&
	       !LLVMIsAInlineAsm(LLVMGetCalledValue(inst));
}

static void calls_choose(struct numbers *x, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			next = LLVMGetNextInstruction(inst);
			if (is_indirect(inst) && !x->no_memory)
				number_choose(x, inst);
		}
}

bool number_functions(LLVMModuleRef m, struct diags *d)
{
	struct numbers x = {.m = m, .ctx = LLVMGetModuleContext(m), .d = d};

	x.b = LLVMCreateBuilderInContext(x.ctx);
	x.i64 = LLVMInt64TypeInContext(x.ctx);
	x.pointer = LLVMPointerTypeInContext(x.ctx, 0);
	find_taken(&x);
	for (unsigned i = 0; i < x.n && !x.no_memory; i++)
		replace_address(&x, i);
	for (LLVMValueRef g = x.n ? LLVMGetFirstGlobal(m) : NULL, next; g && !x.no_memory; g = next) {
		next = LLVMGetNextGlobal(g);
		number_global(&x, g);
	}
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		calls_choose(&x, fn);
	LLVMDisposeBuilder(x.b);
	free(x.fn);
	return !x.no_memory;
}
