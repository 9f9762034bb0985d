/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that are numbers. Programs keep marks in the lowest bits of pointers: the colour of a tree's node beside
 * its parent, or a list's element that is being removed. Others keep the sum of two pointers in one word, or pointers
 * in fields that are declared as numbers. What such a number leads to is derived from its parts: pointers that were
 * made numbers, and numbers that were loaded. Which part is a mark or a distance doesn't matter: a guard compares the
 * whole with where it may lead.
 *
 * A difference of two pointers is no pointer. A number of the event's is none either: it is an address of the
 * target's.
 */
#include "ptr_int.h"

#include <string.h>

enum { DEPTH = 6, TERMS = 32, MOST = 4096 };

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

static bool is_sum(LLVMValueRef v)
{
	LLVMOpcode op = LLVMIsAInstruction(v)    ? LLVMGetInstructionOpcode(v)
			: LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v)
						 : LLVMUnreachable;

	return op == LLVMAdd || op == LLVMSub;
}

/*
 * Terms that are added, and how many pointers are taken off: so many of those that are added have only the distance
 * left.
 */
struct terms {
	LLVMValueRef of[TERMS];
	int n, taken, looked_at;
};

/*
 * How often v has a pointer in it: -3 of p * -3, 4 of p << 2; 0: it is none, or nobody knows. More than TERMS is as
 * good as TERMS.
 */
static int times_pointer(LLVMValueRef v)
{
	LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMUnreachable;
	LLVMValueRef by;
	int64_t times;

	if (is_of_pointer(v))
		return 1;
	if ((op != LLVMMul && op != LLVMShl) || !is_of_pointer(LLVMGetOperand(v, 0)))
		return 0;
	by = LLVMGetOperand(v, 1);
	if (!LLVMIsAConstantInt(by))
		return 0;
	times = LLVMConstIntGetSExtValue(by);
	if (op == LLVMShl)
		times = times >= 0 && times < 6 ? 1 << times : TERMS;
	return times > TERMS ? TERMS : times < -TERMS ? -TERMS : (int)times;
}

static void find_terms(LLVMValueRef v, bool taken, struct terms *t)
{
	if (t->looked_at++ >= 8 * TERMS)
		return;
	if (is_sum(v)) {
		bool sub = (LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMGetConstOpcode(v)) == LLVMSub;

		find_terms(LLVMGetOperand(v, 0), taken, t);
		find_terms(LLVMGetOperand(v, 1), taken != sub, t);
	} else if (taken == (times_pointer(v) >= 0)) {
		t->taken += taken ? times_pointer(v) : -times_pointer(v);
	} else if (t->n < TERMS) {
		t->of[t->n++] = v;
	}
}

struct inside {
	LLVMValueRef *found;
	int n, looked_at; /* no more than MOST: loops lead back */
};

static void pointers_collect(struct inside *in, LLVMValueRef v, int depth);

/* The optimiser puts a - b + c in any order. */
static void collect_sum(struct inside *in, LLVMValueRef v, int depth)
{
	struct terms t = {.n = 0};
	int before = in->n, pointers = 0;

	find_terms(v, false, &t);
	for (int i = 0; i < t.n; i++) {
		int had = in->n;

		pointers_collect(in, t.of[i], depth + 1);
		pointers += in->n > had;
	}
	if (pointers <= t.taken)
		in->n = before;
}

static void pointers_collect(struct inside *in, LLVMValueRef v, int depth)
{
	int parts = depth < DEPTH ? parts_of(v) : 0;

	if (in->looked_at++ >= MOST)
		return;
	if (is_of_pointer(v) && in->n < MAX_INSIDE)
		in->found[in->n++] = LLVMGetOperand(v, 0);
	if (parts && is_sum(v))
		collect_sum(in, v, depth);
	for (int i = 0; i < parts && !is_sum(v); i++)
		pointers_collect(in, LLVMGetOperand(v, (unsigned)i), depth + 1);
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
	struct inside in = {.found = found};

	if (is_masked(v))
		found[in.n++] = LLVMGetOperand(v, 0);
	else if (LLVMIsAIntToPtrInst(v))
		pointers_collect(&in, LLVMGetOperand(v, 0), 0);
	else if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind)
		pointers_collect(&in, v, 0);
	return in.n;
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
