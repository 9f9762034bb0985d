/*
 * Programs keep marks in the lowest bits of pointers: the colour of a tree's node beside its parent, a list's element that is on its way out. Others keep the sum of two pointers in one word, or pointers in fields that are
 * declared as numbers. What such a number leads to is asked of its parts: of pointers that were made numbers, and of numbers that were loaded. What of it is a mark or a distance isn't asked: a guard holds the whole against
 * where it may lead.
 *
 * A difference of two pointers is no pointer. Nor is a number of the event's, which is an address of the target's.
 */
#include "marked.h"

#include <string.h>

enum { DEPTH = 6 };

/* How many of the operands of a number may be parts of it, from the first one on. */
static int parts_of(LLVMValueRef v)
{
	if (!LLVMIsAInstruction(v) && !LLVMIsAConstantExpr(v))
		return 0;
	switch (LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMGetConstOpcode(v)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor: return 2;
	case LLVMPHI: return LLVMGetNumOperands(v);
	case LLVMSelect: return 3;
	case LLVMFreeze: return 1;
	default: return 0;
	}
}

static bool is_of_pointer(LLVMValueRef v)
{
	return LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);
}

static bool is_difference(LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMSub && is_of_pointer(LLVMGetOperand(v, 1));
}

static void collect(LLVMValueRef v, LLVMValueRef *found, int *n, int depth)
{
	int parts = depth < DEPTH && !is_difference(v) ? parts_of(v) : 0;

	if (is_of_pointer(v) && *n < MAX_INSIDE)
		found[(*n)++] = LLVMGetOperand(v, 0);
	for (int i = 0; i < parts; i++)
		collect(LLVMGetOperand(v, (unsigned)i), found, n, depth + 1);
}

/* A pointer without some of its bits, as LLVM has it. */
static bool is_masked(LLVMValueRef v)
{
	LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
	size_t n;

	return callee && LLVMIsAFunction(callee) && strncmp(LLVMGetValueName2(callee, &n), "llvm.ptrmask", 12) == 0;
}

int pointers_inside(LLVMValueRef v, LLVMValueRef found[MAX_INSIDE])
{
	int n = 0;

	if (is_masked(v))
		found[n++] = LLVMGetOperand(v, 0);
	else if (LLVMIsAIntToPtrInst(v))
		collect(LLVMGetOperand(v, 0), found, &n, 0);
	else if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind)
		collect(v, found, &n, 0);
	return n;
}

static bool has_load(LLVMValueRef v, int depth)
{
	int parts = depth < DEPTH ? parts_of(v) : 0;

	if (LLVMIsALoadInst(v)) {
		for (v = LLVMGetOperand(v, 0); LLVMIsAGetElementPtrInst(v);)
			v = LLVMGetOperand(v, 0);
		return !LLVMIsAArgument(v) || v != LLVMGetParam(LLVMGetParamParent(v), 0);
	}
	for (int i = 0; i < parts; i++)
		if (has_load(LLVMGetOperand(v, (unsigned)i), depth + 1))
			return true;
	return false;
}

bool is_of_loaded_number(LLVMValueRef v)
{
	return LLVMIsAIntToPtrInst(v) && has_load(LLVMGetOperand(v, 0), 0);
}
