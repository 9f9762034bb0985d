/*
 * Guards, inserted where a plan wants them.
 *
 * Where an address is a base plus one index times a constant it is the index that is compared, and from there on its place is taken by the one that was compared: so the access is what
 * it was, and whatever else the index leads to may be proven from the same comparison.
 *
 *	if (index > (size - n) / scale) trap;
 *
 * Any other access through address p, counted from a base (the state, the event, a variable), gets its offset checked:
 *
 *	off = p - base;  if (off > size - n) trap;  access base + off
 *
 * and the optimiser must not see that base + off is p again, or it would keep p and check a copy that the verifier has no reason to
 * connect with it. So off passes through an empty assembly statement, of which nothing is known.
 *
 * A pointer that was loaded from memory is taken to point to where the module's pointers in memory may lead (loaded.c), mostly into the state. Of
 * that the verifier knows that p is base + off, so the access stays one through p: going through base + off would have each element of a
 * linked list wait for two additions more, where a branch is predicted. Only where that didn't convince it the access is through base + off.
 *
 * Accesses through the same root at other constant distances need no compare of their own where an earlier one dominates them: behind the
 * state there is room, so what begins inside of the state and reaches a little further is still granted (and an author's struct that lies
 * in the state wholly never does). Before the first address they do need one. Of loaded pointers it is the element's start that is checked,
 * if the access isn't before it: so that check does for all of the element, and for the next look at it where a loop comes round.
 *
 * Blocks can't be split through LLVM's C interface: each guard is a call of a small function that is then inlined, which splits them.
 */
#include "guard.h"

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "fuel.h"
#include "implied.h"
#include "lent.h"
#include "null.h"
#include "passes.h"
#include "variable.h"

enum { MAX_ROOM = 4096, NAME = 64 };

/* An address that a guard has checked: `size` bytes from root + constant on are granted. */
struct checked {
	LLVMValueRef root, address; /* address: root + constant, or base + off, which is equal to it */
	int64_t constant;
	uint64_t size;
	int at; /* the number of the guarded instruction */
	int block;
	bool has_room;
	bool counted; /* address is base + off */
};

/* An index that a guard has compared: `size` bytes from base + index * scale + constant on are granted. */
struct compared {
	LLVMValueRef from, to; /* the index and the one that takes its place, before they are extended, */
	LLVMValueRef wide;     /* and after; `ahead` more than it */
	LLVMValueRef base;
	uint64_t scale, size;
	int64_t constant, ahead;
	int at, block;
	bool has_room;
};

enum { MAX_COMPARED = 256 };

struct guards {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	LLVMTargetDataRef layout;
	const struct numbering *x, *origin; /* the instructions, and what they were at their places in the source */
	struct plan *plan;
	const struct guard_options *options;
	struct traps *traps;
	/* of one function */
	LLVMValueRef fn;
	struct flow flow;
	struct checked *checked;
	size_t n_checked, cap_checked;
	struct compared compared[MAX_COMPARED];
	int n_compared;
	bool failed;
};

/* ---- the functions that guards call ---- */

/* number guard(number, trap): the number, if it is not refused; the predicate compares it with `limit`. */
static LLVMValueRef guard_function(struct guards *g, LLVMTypeRef type, LLVMIntPredicate refused, uint64_t limit)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(g->ctx), params[2] = {type, i32};
	unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	LLVMBasicBlockRef entry, stop, go;
	LLVMValueRef fn, v, which, trap = trap_function(g->m);
	char name[NAME];

	snprintf(name, sizeof(name), "ward.guard.%u.%d.%llu", LLVMGetIntTypeWidth(type), (int)refused, (unsigned long long)limit);
	fn = LLVMGetNamedFunction(g->m, name);
	if (fn)
		return fn;
	fn = LLVMAddFunction(g->m, name, LLVMFunctionType(type, params, 2, 0));
	LLVMSetLinkage(fn, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->ctx, inlined, 0));
	entry = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	stop = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	go = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	LLVMPositionBuilderAtEnd(g->b, entry);
	LLVMSetCurrentDebugLocation2(g->b, NULL);
	v = opaque(g->b, LLVMGetParam(fn, 0));
	mark_unlikely(LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, refused, v, LLVMConstInt(type, limit, 0), ""), stop, go));
	LLVMPositionBuilderAtEnd(g->b, stop);
	which = LLVMGetParam(fn, 1);
	LLVMBuildCall2(g->b, LLVMGlobalGetValueType(trap), trap, &which, 1, "");
	LLVMBuildUnreachable(g->b);
	LLVMPositionBuilderAtEnd(g->b, go);
	LLVMBuildRet(g->b, v);
	return fn;
}

static LLVMValueRef call_guard(struct guards *g, int i, LLVMValueRef v, LLVMIntPredicate refused, uint64_t limit, const char *what)
{
	int trap = trap_at(g->traps, g->origin->inst[i], what);
	LLVMValueRef fn, args[2] = {v, LLVMConstInt(LLVMInt32TypeInContext(g->ctx), (unsigned)trap, 0)};

	g->failed |= trap < 0;
	g->plan->of[i].by = i + 1;
	fn = guard_function(g, LLVMTypeOf(v), refused, limit);
	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	return LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
}

/* There is a guard for the access already, unless part of it has one of its own. */
static void does_for(struct guards *g, int guard, int i)
{
	if (!g->plan->of[i].by)
		g->plan->of[i].by = guard + 1;
}

/* Instruction i can't be right: stop whoever comes to it. What is behind is never reached then, and goes away. */
static void call_stop(struct guards *g, int i, const char *what)
{
	static const char name[] = "ward.stop";
	int trap = trap_at(g->traps, g->origin->inst[i], what);
	LLVMValueRef fn = LLVMGetNamedFunction(g->m, name), end = trap_function(g->m), which;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(g->ctx), type = LLVMFunctionType(LLVMVoidTypeInContext(g->ctx), &i32, 1, 0);

	g->failed |= trap < 0;
	g->plan->of[i].by = i + 1;
	if (!fn) {
		fn = LLVMAddFunction(g->m, name, type);
		LLVMSetLinkage(fn, LLVMInternalLinkage);
		LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->ctx, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0));
		LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->ctx, fn, ""));
		LLVMSetCurrentDebugLocation2(g->b, NULL);
		which = LLVMGetParam(fn, 0);
		LLVMBuildCall2(g->b, LLVMGlobalGetValueType(end), end, &which, 1, "");
		LLVMBuildUnreachable(g->b);
	}
	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	which = LLVMConstInt(i32, (unsigned)trap, 0);
	LLVMBuildCall2(g->b, type, fn, &which, 1, "");
}

/* ---- accesses ---- */

static LLVMValueRef add_constant(struct guards *g, LLVMValueRef address, int64_t n)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(g->ctx), (uint64_t)n, 1);

	return n ? LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), address, &index, 1, "") : address;
}

/* Does instruction number `at` of block `b` come after the guard on every way to it? */
static bool comes_after(const struct guards *g, const struct checked *c, int at, int b)
{
	return c->block == b ? c->at <= at : flow_dominates(&g->flow, c->block, b);
}

static bool has_own_guard(const struct guards *g, int i)
{
	return g->plan->of[i].want & WANT_OWN;
}

/* Can the access at root + constant be covered by a guard that is there? */
static struct checked *find_checked(struct guards *g, LLVMValueRef root, int64_t constant, uint64_t size, bool counted, int at, int block)
{
	for (size_t i = g->n_checked; i-- > 0;) {
		struct checked *c = &g->checked[i];
		uint64_t from;

		if (c->root != root || constant < c->constant || (counted && !c->counted) || !comes_after(g, c, at, block))
			continue;
		from = (uint64_t)(constant - c->constant);
		if (from <= MAX_ROOM && from + size <= c->size + (c->has_room ? MAX_ROOM : 0))
			return c;
	}
	return NULL;
}

/* How far the accesses of the same block that come later reach from the same root, so that one compare does for all of them. */
static uint64_t reach_in_block(struct guards *g, LLVMValueRef inst, LLVMValueRef root, int64_t constant, uint64_t size, uint64_t most)
{
	for (; inst; inst = LLVMGetNextInstruction(inst)) {
		struct access a[2];
		unsigned n = accesses_of(g->layout, inst, a);

		for (unsigned k = 0; k < n; k++) {
			int64_t other;

			if (root_of(g->layout, LLVMGetOperand(inst, a[k].operand), &other) != root || other < constant)
				continue;
			if (a[k].size <= most && (uint64_t)(other - constant) <= most - a[k].size && (uint64_t)(other - constant) + a[k].size > size)
				size = (uint64_t)(other - constant) + a[k].size;
		}
	}
	return size;
}

static struct checked *new_checked(struct guards *g)
{
	if (g->n_checked == g->cap_checked) {
		size_t cap = g->cap_checked ? g->cap_checked * 2 : 64;
		struct checked *list = realloc(g->checked, cap * sizeof(*list));

		if (!list)
			return NULL;
		g->checked = list;
		g->cap_checked = cap;
	}
	return &g->checked[g->n_checked++];
}

/* Is it the state, behind which there is room? */
static bool is_in_state(const struct base *base)
{
	return base->kind == BASE_STATE || (base->kind == BASE_LOADED && LLVMIsAArgument(base->value) && !is_event(base));
}

uint64_t base_size(const struct guard_options *options, const struct base *base)
{
	return is_in_state(base) ? options->state_size : base->size;
}

static bool is_write(LLVMValueRef inst, const struct access *a)
{
	return LLVMIsAStoreInst(inst) || (LLVMIsACallInst(inst) && a->operand == 0);
}

/* A pointer to the event that was kept leads to an argument, or is the event itself where another field is read. */
static void suit_event(struct guards *g, struct base *base, LLVMValueRef inst, const struct access *a)
{
	int64_t constant;

	root_of(g->layout, LLVMGetOperand(inst, a->operand), &constant);
	widen_event(base, a->size);
	if (base->kind != BASE_LOADED || !is_event(base) || is_write(inst, a) || constant < 0 || (uint64_t)constant + a->size <= base->size)
		return;
	LLVMPositionBuilderBefore(g->b, inst);
	base->value = add_constant(g, base->value, constant);
	base->size = event_has((uint64_t)constant + a->size) ? a->size : 0;
}

/* T load(address, trap, bases…), or void store(address, trap, bases…, value): one function for each place, as limits and types differ. */
static LLVMValueRef chooser(struct guards *g, LLVMTypeRef type, LLVMValueRef *args, unsigned n_args, const struct base *bases, unsigned n, uint64_t size)
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
		uint64_t limit = base_size(g->options, &bases[b]);
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
		LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULE, off, LLVMConstInt(i64, limit - size, 0), ""), found[b], next);
		LLVMPositionBuilderAtEnd(g->b, found[b]);
		at = LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base, &off, 1, "");
		values[b] = type ? LLVMBuildLoad2(g->b, type, at, "") : LLVMBuildStore(g->b, LLVMGetParam(fn, n_args - 1), at);
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

/*
 * An address that is chosen from several bases (compilers make one load of two) is held against one after the other, and there is an access
 * of its own for each.
 */
static void choose_base(struct guards *g, int i, const struct access *a)
{
	LLVMValueRef inst = g->x->inst[i], args[MAX_BASES + 3];
	bool load = LLVMIsALoadInst(inst) != NULL;
	struct base bases[MAX_BASES];
	unsigned n = bases_of(g->layout, g->fn, LLVMGetOperand(inst, a->operand), bases), k = 0;
	int trap = trap_at(g->traps, g->origin->inst[i], "access");
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
	fn = chooser(g, load ? LLVMTypeOf(inst) : NULL, args, k, bases, n, a->size);
	LLVMPositionBuilderBefore(g->b, inst);
	fn = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, k, "");
	if (load)
		LLVMReplaceAllUsesWith(inst, fn);
	LLVMInstructionEraseFromParent(inst);
}

/* Does the verifier take the index into a variable for an address? The distance of a pointer from one that may be NULL is one: of a number it knows nothing, so as far as it can tell that was zero. */
static bool is_address(const struct guards *g, int i, const struct base *base)
{
	return base->kind != BASE_LOADED && (g->plan->of[i].want & WANT_COUNTED);
}

/* Turned round twice it is what it was, and any number. */
static LLVMValueRef as_number(struct guards *g, LLVMValueRef v)
{
	static const char text[] = "notq $0\n\tnotq $0";
	LLVMTypeRef i64 = LLVMInt64TypeInContext(g->ctx), fn = LLVMFunctionType(i64, &i64, 1, 0);

	return LLVMBuildCall2(g->b, fn, LLVMGetInlineAsm(fn, text, sizeof(text) - 1, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0), &v, 1, "");
}

/*
 * Check root + constant, before instruction i. A root that is computed is made once, where the optimiser can't see through it, so that what is checked and what is used are one register's.
 */
static struct checked check_address(struct guards *g, int i, const struct base *base, LLVMValueRef root, int64_t constant, uint64_t limit, bool counted)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(g->ctx);
	LLVMValueRef address = root, off;

	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	if (counted)
		off = build_offset(g->b, g->layout, root, base->value);
	else {
		if (!is_loaded(root) && !LLVMIsAPHINode(root))
			address = opaque(g->b, root);
		off = build_distance(g->b, address, base->value);
	}
	if (is_address(g, i, base))
		off = as_number(g, off);
	off = LLVMBuildAdd(g->b, constant ? opaque(g->b, off) : off, LLVMConstInt(i64, (uint64_t)constant, 1), "");
	off = call_guard(g, i, off, LLVMIntUGT, limit, "access");
	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	address = counted ? LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base->value, &off, 1, "") : add_constant(g, address, constant);
	return (struct checked){.root = root, .address = address, .constant = constant, .at = i, .counted = counted};
}

/* ---- indices ---- */

/* Is the user, in the guard's block, behind the guard? */
static bool is_behind(LLVMValueRef guard, LLVMValueRef user)
{
	while (guard && guard != user)
		guard = LLVMGetNextInstruction(guard);
	return guard != NULL;
}

/* Is a use by this user, as operand k, reached only by way of the guard? */
static bool is_after(const struct guards *g, LLVMValueRef guard, int block, LLVMValueRef user, unsigned k)
{
	LLVMBasicBlockRef at = LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);

	if (at == g->flow.block[block])
		return LLVMIsAPHINode(user) || is_behind(LLVMGetNextInstruction(guard), user);
	return flow_number(&g->flow, at) != FLOW_NONE && flow_dominates(&g->flow, block, flow_number(&g->flow, at));
}

/* From the guard on, `to` stands for `from`. */
static void replace_after(const struct guards *g, LLVMValueRef guard, int block, LLVMValueRef from, LLVMValueRef to)
{
	LLVMUseRef use, next;

	for (use = LLVMGetFirstUse(from); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		int n = LLVMIsAInstruction(user) ? LLVMGetNumOperands(user) : 0;

		next = LLVMGetNextUse(use);
		for (int k = 0; k < n; k++)
			if (LLVMGetOperandUse(user, (unsigned)k) == use && user != guard && user != to && is_after(g, guard, block, user, (unsigned)k)) {
				LLVMSetOperand(user, (unsigned)k, to);
				break;
			}
	}
}

static const struct compared *find_compared(const struct guards *g, LLVMValueRef narrow, LLVMValueRef wide, const struct base *base, const struct indexed *x, uint64_t size, int at, int block)
{
	for (int i = g->n_compared; i-- > 0;) {
		const struct compared *c = &g->compared[i];
		uint64_t more = (uint64_t)(x->constant - c->constant);

		if ((c->from != narrow && c->to != narrow && c->from != wide && c->wide != wide) || c->base != base->value || c->scale != x->scale || x->constant < c->constant)
			continue;
		if ((c->block == block ? c->at <= at : flow_dominates(&g->flow, c->block, block)) && more <= MAX_ROOM && more + size <= c->size + (c->has_room ? MAX_ROOM : 0))
			return c;
	}
	return NULL;
}

/* Can it be seen that the number isn't below 0? */
static bool is_positive(LLVMValueRef v)
{
	LLVMValueRef by = LLVMIsAInstruction(v) && LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
	int64_t n = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetSExtValue(by) : 0;

	if (n <= 0)
		return LLVMIsAZExtInst(v);
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMAnd:
	case LLVMLShr:
	case LLVMURem:
		return true;
	case LLVMUDiv:
		return n > 1;
	default:
		return false;
	}
}

/*
 * The index may be below 0, by as much as the constant makes good: of a[x + 1] the optimiser makes x and a distance of one element more, if it knows that x can't be the largest number. So it is compared as many elements
 * ahead as there are in the distance.
 */
static const struct compared *compare_ahead(struct guards *g, int i, int block, const struct base *base, const struct indexed *x, uint64_t size, uint64_t most)
{
	struct compared *c = &g->compared[g->n_compared++];
	int64_t ahead = x->constant / (int64_t)x->scale;
	LLVMValueRef sum, guard;

	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	sum = LLVMBuildAdd(g->b, x->index, LLVMConstInt(LLVMTypeOf(x->index), (uint64_t)ahead, 0), "");
	guard = call_guard(g, i, sum, LLVMIntUGT, most + (uint64_t)ahead, "access");
	*c = (struct compared){x->index, guard, guard, base->value, x->scale, size, x->constant, ahead, i, block, base->kind == BASE_STATE};
	return c;
}

static const struct compared *compare_index(struct guards *g, int i, int block, LLVMValueRef narrow, const struct base *base, const struct indexed *x, uint64_t size, uint64_t most)
{
	struct compared *c = &g->compared[g->n_compared++];
	bool wide = narrow == x->index || LLVMIsALoadInst(narrow);
	LLVMValueRef guarded = wide ? x->index : narrow, guard = call_guard(g, i, guarded, LLVMIntUGT, most, "access");

	*c = (struct compared){narrow, guard, guard, base->value, x->scale, size, x->constant, 0, i, block, base->kind == BASE_STATE};
	replace_after(g, guard, block, guarded, guard);
	if (narrow != x->index && wide) {
		c->to = LLVMBuildTrunc(g->b, guard, LLVMTypeOf(narrow), "");
		replace_after(g, c->to, block, narrow, c->to);
	} else if (narrow != x->index) {
		c->wide = LLVMBuildZExt(g->b, guard, LLVMTypeOf(x->index), "");
		replace_after(g, c->wide, block, x->index, c->wide);
	}
	return c;
}

/*
 * Guard the index, if that is what the access hangs on. An extended one is guarded before, if there is more that it is used for; but what was just loaded has been extended by that, and would be once more if its guard
 * were of 32 bits.
 */
static bool guard_index(struct guards *g, int i, int block, const struct access *a, const struct base *base)
{
	LLVMValueRef inst = g->x->inst[i], narrow, address;
	uint64_t limit = base_size(g->options, base), most, reach;
	const struct compared *c;
	struct indexed x;

	if (base->kind == BASE_LOADED || !one_index(g->layout, LLVMGetOperand(inst, a->operand), base->value, &x) || x.constant < 0 || (uint64_t)x.constant > limit - a->size ||
		g->n_compared == MAX_COMPARED)
		return false;
	narrow = x.index;
	if (LLVMIsAZExtInst(narrow) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(narrow, 0))) == 32 && LLVMGetNextUse(LLVMGetFirstUse(LLVMGetOperand(narrow, 0))))
		narrow = LLVMGetOperand(narrow, 0);
	most = (limit - a->size - (uint64_t)x.constant) / x.scale;
	c = has_own_guard(g, i) ? NULL : find_compared(g, narrow, x.index, base, &x, a->size, i, block);
	if (c)
		does_for(g, c->at, i);
	else if ((uint64_t)x.constant >= x.scale && !is_positive(x.index))
		c = compare_ahead(g, i, block, base, &x, a->size, most);
	else
		c = compare_index(g, i, block, narrow, base, &x, a->size, most);
	LLVMPositionBuilderBefore(g->b, inst);
	address = LLVMBuildMul(g->b, c->wide, LLVMConstInt(LLVMTypeOf(c->wide), x.scale, 0), "");
	address = LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base->value, &address, 1, "");
	LLVMSetOperand(inst, a->operand, add_constant(g, address, x.constant - c->ahead * (int64_t)x.scale));
	reach = (uint64_t)(x.constant - c->constant) + a->size;
	if (reach > c->size + g->traps->room)
		g->traps->room = reach - c->size;
	return true;
}

/* NULL, or so many bytes behind it: where the optimiser knows that a pointer is NULL, on a way that isn't taken mostly. */
static bool is_number(LLVMValueRef address)
{
	return LLVMIsAConstantPointerNull(address) || (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMIntToPtr && LLVMIsAConstantInt(LLVMGetOperand(address, 0)));
}

static void guard_access(struct guards *g, int i, int block, const struct access *a)
{
	LLVMValueRef inst = g->x->inst[i], address = LLVMGetOperand(inst, a->operand), root;
	struct base base = base_of(g->layout, g->fn, address);
	uint64_t limit, size = a->size;
	struct checked *c;
	bool counted = base.kind != BASE_LOADED || (g->plan->of[i].want & WANT_COUNTED), has_room = is_in_state(&base);
	int64_t constant, from;

	if (is_number(root_of(g->layout, address, &constant))) {
		call_stop(g, i, "access");
		return;
	}
	if (base.kind == BASE_NONE) {
		choose_base(g, i, a);
		return;
	}
	suit_event(g, &base, inst, a);
	limit = base_size(g->options, &base);
	if (limit < size || (is_write(inst, a) && base.kind == BASE_LOADED && is_read_only(&base))) { /* whoever comes here is stopped: the rest of the block goes away */
		call_stop(g, i, "access");
		return;
	}
	if (!is_address(g, i, &base) && guard_index(g, i, block, a, &base))
		return;
	root = root_of(g->layout, address, &constant);
	c = has_own_guard(g, i) ? NULL : find_checked(g, root, constant, size, counted, i, block);
	if (c) {
		does_for(g, c->at, i);
	} else {
		if (!has_room)
			size = reach_in_block(g, inst, root, constant, size, root == base.value && constant >= 0 && (uint64_t)constant < limit ? limit - (uint64_t)constant : limit);
		c = new_checked(g);
		if (!c) {
			g->failed = true;
			return;
		}
		from = !counted && has_room && !LLVMIsAGetElementPtrInst(root) && constant > 0 && constant <= MAX_ROOM ? 0 : constant; /* an index, too, may be below 0 */
		*c = check_address(g, i, &base, root, from, limit - size, counted);
		c->size = size;
		c->block = block;
		c->has_room = has_room;
	}
	LLVMPositionBuilderBefore(g->b, inst);
	LLVMSetOperand(inst, a->operand, add_constant(g, c->address, constant - c->constant));
	if ((uint64_t)(constant - c->constant) + a->size > c->size + g->traps->room)
		g->traps->room = (uint64_t)(constant - c->constant) + a->size - c->size;
}

/* How far behind a loaded pointer an access reaches, as far as the types of its address say; 0 if they don't, or if it is far. */
static uint64_t extent(const struct guards *g, LLVMValueRef address, uint64_t size)
{
	int64_t constant;

	for (;;) {
		address = root_of(g->layout, address, &constant);
		size += (uint64_t)constant;
		if (constant < 0 || size > MAX_ROOM)
			return 0;
		if (!LLVMIsAGetElementPtrInst(address))
			return size;
		size += LLVMABISizeOfType(g->layout, LLVMGetGEPSourceElementType(address));
		address = LLVMGetOperand(address, 0);
	}
}

/* Behind the state there is room for all of an element that a checked pointer leads to, where other accesses count on that check. */
static void make_room(struct guards *g, LLVMBasicBlockRef block)
{
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		struct access a[2];
		unsigned n = accesses_of(g->layout, inst, a);

		for (unsigned k = 0; k < n; k++) {
			LLVMValueRef address = LLVMGetOperand(inst, a[k].operand);
			struct base base = base_of(g->layout, g->fn, address);
			uint64_t room = base.kind == BASE_LOADED && is_in_state(&base) ? extent(g, address, a[k].size) : 0;

			g->traps->room = room > g->traps->room ? room : g->traps->room;
		}
	}
}

/* ---- buffers of imports ---- */

/*
 * From the guard on the length is what the guard has let through, for the author's code as well. What the author has it bounded by is the limit, if that is less than what there is: a call costs as much as for its longest
 * buffer.
 */
static LLVMValueRef guard_length(struct guards *g, int i, int block, unsigned operand, uint64_t most)
{
	LLVMValueRef inst = g->x->inst[i], length = LLVMGetOperand(inst, operand), guard;
	uint64_t tested;

	if (LLVMIsAConstantInt(length))
		return length;
	tested = most_in(&g->flow, block, length);
	most = tested < most ? tested : most;
	guard = call_guard(g, i, length, LLVMIntUGT, most, "access");
	LLVMSetOperand(inst, operand, guard);
	if (LLVMIsAInstruction(length))
		replace_after(g, guard, block, length, guard);
	return guard;
}

/*
 * A buffer whose place is known has its length compared with what there is from there on. Of any other the place is compared, then the length, and then their sum, which stops what reaches beyond. The verifier, who
 * follows no such sum, grants the longest at the farthest place: so there must be room for that.
 */
static void guard_buffer(struct guards *g, int i, int block, const struct lent *l)
{
	LLVMValueRef inst = g->x->inst[i], address = LLVMGetOperand(inst, l->address), length = LLVMGetOperand(inst, l->length), off;
	struct base base = base_of(g->layout, g->fn, address);
	uint64_t size = base_size(g->options, &base), least = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
	int64_t constant;

	if (base.kind == BASE_NONE || least > size)
		return;
	if (root_of(g->layout, address, &constant) == base.value && base.kind != BASE_LOADED) {
		if (constant >= 0 && (uint64_t)constant <= size)
			guard_length(g, i, block, l->length, size - (uint64_t)constant);
		return;
	}
	LLVMPositionBuilderBefore(g->b, inst);
	off = call_guard(g, i, build_offset(g->b, g->layout, address, base.value), LLVMIntUGT, size - least, "access");
	LLVMSetOperand(inst, l->address, LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base.value, &off, 1, ""));
	length = guard_length(g, i, block, l->length, size);
	if (!LLVMIsAConstantInt(length))
		call_guard(g, i, LLVMBuildAdd(g->b, off, length, ""), LLVMIntUGT, size, "access");
	if (is_in_state(&base) && g->plan->of[i].room > g->traps->room)
		g->traps->room = g->plan->of[i].room;
}

/* A variable has as much room as it is long. When all is guarded: guards go by its true size. */
static void enlarge_variables(struct guards *g, LLVMValueRef call)
{
	struct lent l[MAX_LENT];

	for (unsigned k = 0, n = lent_by(call, l); k < n; k++) {
		LLVMValueRef v = base_of(g->layout, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), LLVMGetOperand(call, l[k].address)).value;

		if (v && LLVMIsAAllocaInst(v) && LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) == 1) {
			drop_lifetimes(v);
			LLVMSetOperand(v, 0, LLVMConstInt(LLVMTypeOf(LLVMGetOperand(v, 0)), 2, 0));
		}
	}
}

/* ---- divisors ---- */

static void guard_divisor(struct guards *g, int i)
{
	LLVMValueRef inst = g->x->inst[i], divisor = LLVMGetOperand(inst, 1);
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);

	if (op != LLVMUDiv && op != LLVMURem && op != LLVMSDiv && op != LLVMSRem)
		return;
	LLVMPositionBuilderBefore(g->b, inst);
	LLVMSetOperand(inst, 1, call_guard(g, i, divisor, LLVMIntEQ, 0, "divisor"));
}

/* ---- all of it ---- */

static void guard_block(struct guards *g, int block)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(g->flow.block[block]), next;

	for (; inst && !g->failed; inst = next) {
		int i = index_get(&g->x->number, inst, -1);
		struct access a[2];

		next = LLVMGetNextInstruction(inst);
		if (i < 0)
			continue;
		if (g->plan->of[i].want & WANT_ACCESS) {
			unsigned n = accesses_of(g->layout, inst, a);

			for (unsigned k = 0; k < n; k++)
				guard_access(g, i, block, &a[k]);
		}
		if (g->plan->of[i].want & WANT_BUFFER) {
			struct lent l[MAX_LENT];

			for (unsigned k = 0, n = lent_by(inst, l); k < n; k++)
				guard_buffer(g, i, block, &l[k]);
		}
		if (g->plan->of[i].want & WANT_DIVISOR)
			guard_divisor(g, i);
	}
}

/* When all else is planned: what says when a variable is in use may be what a plan goes by. */
static void set_variables(struct guards *g)
{
	for (int i = 0; i < g->plan->n; i++)
		if ((g->plan->of[i].want & WANT_BUFFER) && g->plan->of[i].room)
			enlarge_variables(g, g->x->inst[i]);
	for (int i = 0; i < g->plan->n; i++)
		if (g->plan->of[i].want & WANT_ZEROS)
			clear_variable(g->b, g->x->inst[i]);
}

static bool guard_entry(struct guards *g)
{
	bool ok = flow_init(&g->flow, g->fn);

	g->n_checked = 0;
	g->n_compared = 0;
	for (int b = 0; ok && b < g->flow.n; b++)
		make_room(g, g->flow.block[b]);
	for (int b = 0; ok && b < g->flow.n; b++)
		guard_block(g, b);
	ok = ok && !g->failed && insert_fuel(g->m, &g->flow, g->x, g->origin, g->plan, g->options->fuel, g->traps);
	flow_free(&g->flow);
	return ok;
}

/* Not what simplifies conditional branches: it would give cycles their second entrance back that mend_cycles has taken. */
static const char clean_up[] = "always-inline,globaldce,function(mem2reg,early-cse<memssa>,simplifycfg<no-simplify-cond-branch>,early-cse)";

static bool run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *passes)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(m, passes, tm, options);

	LLVMDisposePassBuilderOptions(options);
	if (error) {
		char *text = LLVMGetErrorMessage(error);

		fprintf(stderr, "ward: guards: %s\n", text);
		LLVMDisposeErrorMessage(text);
	}
	return !error;
}

static bool split_edges(struct guards *g, LLVMTargetMachineRef tm)
{
	bool ok = true, needed = false;

	for (g->fn = LLVMGetFirstFunction(g->m); ok && !needed && g->fn; g->fn = LLVMGetNextFunction(g->fn)) {
		if (!is_entry(g->fn) || LLVMIsDeclaration(g->fn))
			continue;
		ok = flow_init(&g->flow, g->fn);
		needed = ok && fuel_needs_edges(&g->flow, g->x, g->plan);
		flow_free(&g->flow);
	}
	return ok && (!needed || run_passes(g->m, tm, "function(break-crit-edges)"));
}

bool insert_guards(LLVMModuleRef m, LLVMTargetMachineRef tm, const struct numbering *x, const struct numbering *origin, struct plan *plan, const struct guard_options *options, struct traps *traps)
{
	struct guards g = {.m = m, .ctx = LLVMGetModuleContext(m), .x = x, .origin = origin, .plan = plan, .options = options, .traps = traps};
	bool ok = split_edges(&g, tm);

	for (int i = 0; i < plan->n; i++)
		plan->of[i].by = 0;
	g.layout = LLVMGetModuleDataLayout(m);
	g.b = LLVMCreateBuilderInContext(g.ctx);
	for (g.fn = LLVMGetFirstFunction(m); ok && g.fn; g.fn = LLVMGetNextFunction(g.fn))
		if (is_entry(g.fn) && !LLVMIsDeclaration(g.fn))
			ok = guard_entry(&g);
	if (ok)
		set_variables(&g);
	free(g.checked);
	LLVMDisposeBuilder(g.b);
	if (!ok)
		return false;
	ok = run_passes(m, tm, clean_up) && merge_null_tests(m);
	lower_traps(m, traps, options->state_size);
	describe_traps(m, traps, options->state_size);
	return ok;
}
