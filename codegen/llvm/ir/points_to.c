/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which variables a loaded pointer may lead into.
 *
 * To the verifier a pointer that is loaded from memory is a number, whatever was stored there. A guard tests the
 * number against a region, and the code goes on with a pointer into that region. Only the program says which region
 * that is. So this analysis looks at all of the program's stores: a loaded pointer leads into one of the variables
 * whose addresses are stored anywhere, or into the state. It doesn't track which pointer is stored where, since
 * copies of memory carry pointers about in pieces. If several variables are possible, the guard tests the pointer
 * against one after the other (guard_chosen.c), and each has an access of its own. In most modules there is one.
 *
 * A wrong pointer is no danger: it is tested against the same regions. Nor is a missing note: the pointer is then
 * tested against other regions, and the run stops.
 *
 * A program may keep pointers to many strings, and the local variables of a function that is inlined ten times exist
 * ten times. So the strings are gathered in one variable, and an entry's locals in one, and one comparison does for
 * all of them. Those locals are zeroed first, since a pointer that was tested against all of them may read any of
 * them at any time.
 *
 * Where a pointer is kept as a number (ptr_int.c), a pointer made of a loaded number counts as a loaded pointer.
 *
 * The notes are metadata of the variables, so copies of the module have them too.
 */
#include "points_to.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "ptr_int.h"
#include "allocas.h"

static const char note[] = "ward.kept", number_note[] = "ward.kept.numbers", event_note[] = "ward.kept.event";

static unsigned kind_of_note(LLVMModuleRef m)
{
	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), note, sizeof(note) - 1);
}

static bool has_note(LLVMValueRef global)
{
	size_t n = 0;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
	unsigned kind = kind_of_note(LLVMGetGlobalParent(global));
	bool found = false;

	for (unsigned i = 0; i < n; i++)
		found |= LLVMValueMetadataEntriesGetKind(entries, i) == kind;
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

static void note_module(LLVMModuleRef m, const char *name)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);

	if (LLVMGetNamedMetadataNumOperands(m, name) == 0)
		LLVMAddNamedMetadataOperand(m, name, LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, NULL, 0)));
}

static void note_leaf(LLVMModuleRef m, LLVMValueRef v)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMMetadataRef node = LLVMMDNodeInContext2(ctx, NULL, 0);

	if (LLVMIsAGlobalVariable(v))
		LLVMGlobalSetMetadata(v, kind_of_note(m), node);
	else if (LLVMIsAAllocaInst(v))
		LLVMSetMetadata(v, kind_of_note(m), LLVMMetadataAsValue(ctx, node));
	else if (LLVMIsAArgument(v) && v == LLVMGetParam(LLVMGetParamParent(v), 0))
		note_module(m, event_note);
	else if (!LLVMIsALoadInst(v) && !LLVMIsAConstantPointerNull(v) && !LLVMIsUndef(v))
		note_module(m, note);
}

static void note_pointer(LLVMModuleRef m, LLVMValueRef v)
{
	LLVMValueRef list[MAX_ORIGINS], inside[MAX_INSIDE];
	bool all;
	int n = all_origins_of(v, list, &all);

	for (int i = 0; i < n; i++) {
		bool numbers = pointers_inside(list[i], inside) > 0;

		if (numbers)
			note_module(m, number_note);
		else if (is_leaf(list[i]))
			note_leaf(m, list[i]);
	}
}

static void note_store(LLVMModuleRef m, LLVMValueRef store)
{
	LLVMValueRef v = LLVMGetOperand(store, 0), inside[MAX_INSIDE];
	int n;

	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind) {
		note_pointer(m, v);
		return;
	}
	n = pointers_inside(v, inside);
	for (int i = 0; i < n; i++)
		note_pointer(m, inside[i]);
	if (n)
		note_module(m, number_note);
}

bool event_escapes(LLVMModuleRef m)
{
	return LLVMGetNamedMetadataNumOperands(m, event_note) > 0;
}

bool is_of_stored_number(LLVMModuleRef m, LLVMValueRef v)
{
	return LLVMGetNamedMetadataNumOperands(m, number_note) && is_of_loaded_number(v);
}

void note_escapes(LLVMModuleRef m)
{
	LLVMValueRef fn, inst;
	LLVMBasicBlockRef block;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
				if (LLVMIsAStoreInst(inst))
					note_store(m, inst);
}

bool state_escapes(LLVMModuleRef m)
{
	return LLVMGetNamedMetadataNumOperands(m, note) > 0;
}

unsigned escaped_variables(LLVMValueRef fn, LLVMValueRef *found, unsigned most)
{
	LLVMModuleRef m = LLVMGetGlobalParent(fn);
	LLVMValueRef v;
	unsigned n = 0;

	for (v = LLVMGetFirstGlobal(m); v && n < most; v = LLVMGetNextGlobal(v))
		if (has_note(v))
			found[n++] = v;
	for (v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); v && n < most; v = LLVMGetNextInstruction(v))
		if (LLVMIsAAllocaInst(v) && LLVMGetMetadata(v, kind_of_note(m)))
			found[n++] = v;
	return n;
}

/* ---- strings ---- */

static bool is_string(LLVMValueRef g)
{
	size_t n;

	return LLVMIsGlobalConstant(g) && LLVMGetInitializer(g) && LLVMGetLinkage(g) != LLVMExternalLinkage &&
	       !LLVMGetSection(g) && strncmp(LLVMGetValueName2(g, &n), ".str", 4) == 0;
}

static unsigned find_strings(LLVMModuleRef m, LLVMValueRef *found)
{
	unsigned n = 0;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_string(g) && has_note(g)) {
			if (found)
				found[n] = g;
			n++;
		}
	return n;
}

/* All of them as the fields of one. */
static void strings_gather(LLVMModuleRef m, LLVMValueRef *strings, LLVMValueRef *texts, unsigned n)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx);
	LLVMValueRef all, whole;
	unsigned align = 1;

	for (unsigned i = 0; i < n; i++) {
		texts[i] = LLVMGetInitializer(strings[i]);
		align = LLVMGetAlignment(strings[i]) > align ? LLVMGetAlignment(strings[i]) : align;
	}
	all = LLVMConstStructInContext(ctx, texts, n, 0);
	whole = LLVMAddGlobal(m, LLVMTypeOf(all), "ward.strings");
	LLVMSetInitializer(whole, all);
	LLVMSetGlobalConstant(whole, 1);
	LLVMSetLinkage(whole, LLVMInternalLinkage);
	LLVMSetAlignment(whole, align);
	note_leaf(m, whole);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef at[2] = {LLVMConstNull(i32), LLVMConstInt(i32, i, 0)};

		LLVMReplaceAllUsesWith(strings[i], LLVMConstInBoundsGEP2(LLVMTypeOf(all), whole, at, 2));
		LLVMDeleteGlobal(strings[i]);
	}
}

static void gather_strings(LLVMModuleRef m)
{
	unsigned n = find_strings(m, NULL);
	LLVMValueRef *strings = n > 1 ? calloc(2 * (size_t)n, sizeof(LLVMValueRef)) : NULL;

	if (!strings)
		return;
	find_strings(m, strings);
	strings_gather(m, strings, strings + n, n);
	free(strings);
}

/* ---- locals ---- */

static LLVMTypeRef type_of_variable(LLVMValueRef variable)
{
	LLVMTypeRef type = LLVMGetAllocatedType(variable);
	uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0));

	return n == 1 ? type : LLVMArrayType2(type, n);
}

static void gather_variables(LLVMModuleRef m, LLVMValueRef fn, LLVMValueRef *variables, LLVMTypeRef *types, unsigned n)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
	LLVMValueRef first, whole;
	LLVMTypeRef all;

	for (unsigned i = 0; i < n; i++) {
		types[i] = type_of_variable(variables[i]);
		drop_lifetimes(variables[i]);
	}
	first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
	all = LLVMStructTypeInContext(ctx, types, n, 0);
	LLVMPositionBuilderBefore(b, first);
	LLVMSetCurrentDebugLocation2(b, NULL);
	whole = LLVMBuildAlloca(b, all, "");
	LLVMPositionBuilderBefore(b, first_after_variables(fn));
	LLVMSetCurrentDebugLocation2(b, NULL);
	LLVMBuildMemSet(b, whole, LLVMConstNull(LLVMInt8TypeInContext(ctx)),
		LLVMConstInt(LLVMInt64TypeInContext(ctx), LLVMABISizeOfType(LLVMGetModuleDataLayout(m), all), 0),
		LLVMGetAlignment(whole));
	for (unsigned i = 0; i < n; i++) {
		LLVMReplaceAllUsesWith(variables[i], LLVMBuildStructGEP2(b, all, whole, i, ""));
		LLVMInstructionEraseFromParent(variables[i]);
	}
	note_leaf(m, whole);
	LLVMDisposeBuilder(b);
}

static unsigned find_variables(LLVMModuleRef m, LLVMValueRef fn, LLVMValueRef *found)
{
	unsigned n = 0;

	for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); LLVMIsAAllocaInst(v);
		v = LLVMGetNextInstruction(v))
		if (LLVMGetMetadata(v, kind_of_note(m)) && LLVMIsAConstantInt(LLVMGetOperand(v, 0))) {
			if (found)
				found[n] = v;
			n++;
		}
	return n;
}

static void gather_locals(LLVMModuleRef m, LLVMValueRef fn)
{
	unsigned n = find_variables(m, fn, NULL);
	LLVMValueRef *variables = calloc(n + (size_t)1, sizeof(LLVMValueRef));
	LLVMTypeRef *types = calloc(n + (size_t)1, sizeof(LLVMTypeRef));

	if (n && variables && types) {
		find_variables(m, fn, variables);
		gather_variables(m, fn, variables, types, n);
	}
	free(variables);
	free(types);
}

void gather_escapes(LLVMModuleRef m)
{
	note_escapes(m);
	gather_strings(m);
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn))
			gather_locals(m, fn);
}
