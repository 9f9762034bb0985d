/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_BOUND(n) on its way through the optimiser.
 *
 * clang keeps WARD_BOUND(n) as the loop's unroll count, in metadata of the back edges. The optimiser loses it: it
 * leads several back edges through one block, and makes a switch of successive tests. So before it begins, each block
 * with a back edge gets a call of an undefined function, the mark, which says which loop it belongs to and how many
 * rounds it may go. The optimiser must assume that the call has effects, so it stays where it is, once a round. At
 * the end each loop gets the bound of the call in it, and the calls go. A loop with several back edges, as `continue`
 * makes them, gets a single one first: otherwise the optimiser would make nested loops of it, each with the whole
 * bound.
 *
 * A loop that turns out to go round at most once is no loop any more. Its mark would then be in the loop around it,
 * to which it doesn't apply. So each mark is passed its own result of the round before (zero in the first), which
 * nobody can know: a mark belongs to a loop only if its argument is chosen at that loop's head.
 *
 * Heads of nested loops that begin together stay apart, because simplifycfg is told to keep loops (llvm_options.c). If
 * two loops become one after all, the loop may go round as often as both.
 */
#include "loop_bound.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "codegen/llvm/ir/cfg.h"

enum { MAX_PARTS = 64, MAX_LOOPS = 16, MARK_DEPTH = 8 };
#define MOST (UINT64_C(1) << 40)

static const char theirs[] = "llvm.loop.unroll.count", as_is[] = "llvm.loop.unroll.disable", mark[] = "ward.bound";

/* ---- before ---- */

/* The operands of a branch's loop metadata; the first is the node itself. Returns how many. */
static unsigned loop_parts(LLVMContextRef ctx, LLVMValueRef branch, LLVMValueRef *node, LLVMValueRef parts[MAX_PARTS])
{
	unsigned n;

	*node = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9));
	n = *node ? LLVMGetMDNodeNumOperands(*node) : 0;
	if (n > MAX_PARTS)
		return 0;
	if (n)
		LLVMGetMDNodeOperands(*node, parts);
	return n;
}

/* The number in a part of that name, or NULL. */
static LLVMValueRef number_of(LLVMValueRef part, const char *wanted)
{
	LLVMValueRef pair[2];
	unsigned length = 0;
	const char *name;

	if (!part || !LLVMIsAMDNode(part) || LLVMGetMDNodeNumOperands(part) != 2)
		return NULL;
	LLVMGetMDNodeOperands(part, pair);
	name = pair[0] && LLVMIsAMDString(pair[0]) ? LLVMGetMDString(pair[0], &length) : NULL;
	if (!name || length != strlen(wanted) || memcmp(name, wanted, length) != 0)
		return NULL;
	return pair[1] && LLVMIsAConstantInt(pair[1]) ? pair[1] : NULL;
}

static LLVMValueRef mark_function(LLVMModuleRef m)
{
	/*
	 * two bits each: what is done to the arguments' memory, to the host's, and to all other; 3 is to read and write
	 */
	enum { OUT_OF_SIGHT = 3 << 2 };
	static const struct {
		const char *name;
		uint64_t value;
	} attributes[] = {{"memory", OUT_OF_SIGHT}, {"nounwind", 0}, {"willreturn", 0}, {"nosync", 0}, {"nofree", 0},
		{"nocallback", 0}, {"nomerge", 0}};
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx), params[3] = {i64, i64, i64};
	LLVMValueRef fn = LLVMGetNamedFunction(m, mark);

	if (fn)
		return fn;
	fn = LLVMAddFunction(m, mark, LLVMFunctionType(i64, params, 3, 0));
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));

		LLVMAddAttributeAtIndex(
			fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, kind, attributes[i].value));
	}
	return fn;
}

/* Does the branch belong to a loop that says its bound? */
static bool has_bound(LLVMContextRef ctx, LLVMValueRef branch)
{
	LLVMValueRef node, parts[MAX_PARTS];
	unsigned n = loop_parts(ctx, branch, &node, parts);

	for (unsigned i = 1; i < n; i++)
		if (number_of(parts[i], theirs))
			return true;
	return false;
}

/* Leads the ways back to the head through a block of their own. The head has no phis yet. */
static void join_ways(LLVMBuilderRef b, const struct flow *f, int head)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(f->block[head]), back = NULL;
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	unsigned loop = LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9);
	LLVMBasicBlockRef joined = LLVMAppendBasicBlockInContext(ctx, fn, "");

	LLVMMoveBasicBlockAfter(joined, f->block[f->n - 1]);
	LLVMPositionBuilderAtEnd(b, joined);
	LLVMSetCurrentDebugLocation2(b, NULL);
	back = LLVMBuildBr(b, f->block[head]);
	for (int i = head; i < f->n; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[i]);

		for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && flow_in_loop(f, i, head); k++) {
			if (LLVMGetSuccessor(end, k) != f->block[head])
				continue;
			LLVMSetSuccessor(end, k, joined);
			LLVMInstructionSetDebugLoc(back, LLVMInstructionGetDebugLoc(end));
			if (LLVMGetMetadata(end, loop))
				LLVMSetMetadata(back, loop, LLVMGetMetadata(end, loop));
			LLVMSetMetadata(end, loop, NULL);
		}
	}
}

/* Of each loop that says its bound. */
static bool join_all_ways(LLVMBuilderRef b, LLVMValueRef fn)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int head = 0; ok && head < f.n; head++) {
		int ways = 0;
		bool bound = false;

		for (int i = head; f.head[head] && i < f.n; i++) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(f.block[i]);

			for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && flow_in_loop(&f, i, head); k++)
				if (LLVMGetSuccessor(end, k) == f.block[head]) {
					ways++;
					bound |= has_bound(ctx, end);
				}
		}
		if (ways > 1 && bound && !LLVMIsAPHINode(LLVMGetFirstInstruction(f.block[head])))
			join_ways(b, &f, head);
	}
	flow_free(&f);
	return ok;
}

/* The loops seen so far, by their metadata: the number of each, and its bound. */
struct seen {
	struct index number, bound;
	int n;
};

/*
 * All branches back of a loop share its metadata, of which the first says the bound: from then on it says that the loop
 * isn't to be unrolled. Returns whether the branch belongs to a loop that says its bound.
 */
static bool read_branch(LLVMContextRef ctx, LLVMValueRef branch, struct seen *seen, int *number, int *bound, bool *ok)
{
	LLVMValueRef node, parts[MAX_PARTS];
	unsigned n = loop_parts(ctx, branch, &node, parts);

	*bound = n ? index_get(&seen->bound, node, -1) : -1;
	for (unsigned i = 1; i < n && *bound < 0; i++) {
		LLVMValueRef rounds = number_of(parts[i], theirs);
		LLVMMetadataRef text;

		if (!rounds)
			continue;
		*bound = (int)(LLVMConstIntGetZExtValue(rounds) & INT32_MAX);
		*ok = *ok && index_set(&seen->bound, node, *bound) && index_set(&seen->number, node, seen->n++);
		text = LLVMMDStringInContext2(ctx, as_is, sizeof(as_is) - 1);
		LLVMReplaceMDNodeOperandWith(node, i, LLVMMDNodeInContext2(ctx, &text, 1));
	}
	*number = *bound < 0 ? -1 : index_get(&seen->number, node, 0);
	return *bound >= 0;
}

/* token = mark(number, bound, token), in front of the branch. */
static void mark_branch(
	LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef branch, LLVMValueRef token, int number, int bound)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(fn)));
	LLVMValueRef args[3] = {LLVMConstInt(i64, (unsigned)number, 0), LLVMConstInt(i64, (unsigned)bound, 0)};

	LLVMPositionBuilderBefore(b, branch);
	args[2] = LLVMBuildLoad2(b, i64, token, "");
	LLVMBuildStore(b, LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, 3, ""), token);
}

/* The token of the loop with this head: a variable that is zero on every way into it. */
static LLVMValueRef new_token(LLVMBuilderRef b, const struct flow *f, int head)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(f->block[0]))));
	LLVMValueRef token;

	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(f->block[0]));
	token = LLVMBuildAlloca(b, i64, "");
	for (int i = 0; i < f->n; i++)
		if (flow_leads_to(f, i, head) && !flow_in_loop(f, i, head)) {
			LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(f->block[i]));
			LLVMBuildStore(b, LLVMConstNull(i64), token);
		}
	return token;
}

static bool mark_loops(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef fn, struct seen *seen)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int head = 0; ok && head < f.n; head++) {
		LLVMValueRef token = NULL;

		for (int i = head; f.head[head] && i < f.n; i++) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(f.block[i]);
			int number, bound;

			if (!flow_in_loop(&f, i, head) || !flow_leads_to(&f, i, head) ||
				!read_branch(ctx, end, seen, &number, &bound, &ok))
				continue;
			if (!token)
				token = new_token(b, &f, head);
			LLVMSetCurrentDebugLocation2(b, NULL);
			mark_branch(b, mark_function(m), end, token, number, bound);
		}
	}
	flow_free(&f);
	return ok;
}

bool mark_bounds(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	struct seen seen = {0};
	bool ok = true;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); ok && fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn))
			ok = join_all_ways(b, fn) && mark_loops(m, b, fn, &seen);
	index_free(&seen.number);
	index_free(&seen.bound);
	LLVMDisposeBuilder(b);
	return ok;
}

/* ---- after ---- */

/* Is what a mark gets chosen at this block? */
static bool merges_at(LLVMValueRef token, LLVMBasicBlockRef head, int depth)
{
	if (!depth || !(LLVMIsAPHINode(token) || LLVMIsASelectInst(token)))
		return false;
	if (LLVMIsAPHINode(token) && LLVMGetInstructionParent(token) == head)
		return true;
	for (int i = LLVMIsASelectInst(token) ? 1 : 0; i < LLVMGetNumOperands(token); i++)
		if (merges_at(LLVMGetOperand(token, (unsigned)i), head, depth - 1))
			return true;
	return false;
}

/* The marks of the loop with this head that are in no loop within it, multiplied. */
static uint64_t marks_in_loop(const struct flow *f, LLVMValueRef marker, int head)
{
	LLVMValueRef loops[MAX_LOOPS];
	uint64_t rounds = 0;
	int n = 0;

	for (int b = head; b < f->n; b++)
		for (LLVMValueRef inst = f->loop[b] == head ? LLVMGetFirstInstruction(f->block[b]) : NULL; inst;
			inst = LLVMGetNextInstruction(inst)) {
			int i = 0;

			if (!LLVMIsACallInst(inst) || LLVMGetCalledValue(inst) != marker ||
				!merges_at(LLVMGetOperand(inst, 2), f->block[head], MARK_DEPTH))
				continue;
			while (i < n && loops[i] != LLVMGetOperand(inst, 0))
				i++;
			if (i < n || n == MAX_LOOPS)
				continue;
			loops[n++] = LLVMGetOperand(inst, 0);
			rounds = (rounds ? rounds : 1) * LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 1));
			rounds = rounds < MOST ? rounds : MOST;
		}
	return rounds;
}

static void hang_bound(LLVMContextRef ctx, LLVMBasicBlockRef head, uint64_t rounds)
{
	LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(ctx), rounds, 0));

	LLVMSetMetadata(LLVMGetBasicBlockTerminator(head), LLVMGetMDKindIDInContext(ctx, mark, sizeof(mark) - 1),
		LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, &number, 1)));
}

static bool settle_function(LLVMValueRef fn, LLVMValueRef marker)
{
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int head = 0; ok && head < f.n; head++) {
		uint64_t rounds = f.head[head] ? marks_in_loop(&f, marker, head) : 0;

		if (rounds)
			hang_bound(LLVMGetModuleContext(LLVMGetGlobalParent(fn)), f.block[head], rounds);
	}
	flow_free(&f);
	return ok;
}

/*
 * A token is one of what the marks return, or zero: with the marks gone, zero. So what chooses among them goes as well.
 */
static void token_remove(LLVMValueRef token)
{
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(token));

	if (!LLVMIsAPHINode(token) && !LLVMIsASelectInst(token))
		return;
	LLVMReplaceAllUsesWith(token, zero); /* so that nothing below finds it again */
	for (int i = LLVMIsASelectInst(token) ? 1 : 0; i < LLVMGetNumOperands(token); i++) {
		LLVMValueRef part = LLVMGetOperand(token, (unsigned)i);

		LLVMSetOperand(token, (unsigned)i, zero);
		token_remove(part);
	}
	LLVMInstructionEraseFromParent(token);
}

bool settle_bounds(LLVMModuleRef m)
{
	LLVMValueRef marker = LLVMGetNamedFunction(m, mark), fn;
	LLVMUseRef use;
	bool ok = true;

	if (!marker)
		return true;
	for (fn = LLVMGetFirstFunction(m); ok && fn; fn = LLVMGetNextFunction(fn))
		ok = LLVMIsDeclaration(fn) || settle_function(fn, marker);
	while ((use = LLVMGetFirstUse(marker)) != NULL) {
		LLVMValueRef call = LLVMGetUser(use), token = LLVMGetOperand(call, 2);

		LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
		LLVMInstructionEraseFromParent(call);
		token_remove(token);
	}
	LLVMDeleteFunction(marker);
	return ok;
}

uint64_t bound_of(LLVMBasicBlockRef head)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(head), number = NULL;
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(head)));
	LLVMValueRef node = last ? LLVMGetMetadata(last, LLVMGetMDKindIDInContext(ctx, mark, sizeof(mark) - 1)) : NULL;

	if (node)
		LLVMGetMDNodeOperands(node, &number);
	return number ? LLVMConstIntGetZExtValue(number) : 0;
}
