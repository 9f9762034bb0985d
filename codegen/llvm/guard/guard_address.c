/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of accesses: the offset of the address is compared. Compares that exist already serve others, too. */
#include "guards.h"

#include <stdlib.h>

LLVMValueRef add_constant(struct guards *g, LLVMValueRef address, int64_t n)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(g->ctx), (uint64_t)n, 1);

	return n ? LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), address, &index, 1, "") : address;
}

/* Does instruction number `at` of block `b` come after the guard on every way to it? */
static bool comes_after(const struct guards *g, const struct checked *c, int at, int b)
{
	return c->block == b ? c->at <= at : flow_dominates(&g->flow, c->block, b);
}

bool has_own_guard(const struct guards *g, int i)
{
	return g->plan->of[i].want & WANT_OWN;
}

struct checked *find_checked(
	struct guards *g, LLVMValueRef root, int64_t constant, uint64_t size, bool counted, int at, int block)
{
	for (size_t i = g->n_checked; i-- > 0;) {
		struct checked *c = &g->checked[i];
		uint64_t from;

		if (c->root != root || constant < c->constant || (counted && !c->counted) ||
			!comes_after(g, c, at, block))
			continue;
		from = (uint64_t)(constant - c->constant);
		if (from <= MAX_ROOM && from + size <= c->size + (c->has_room ? MAX_ROOM : 0))
			return c;
	}
	return NULL;
}

/*
 * How far the accesses of the same block that come later reach from the same root, so that one compare does for all of
 * them.
 */
static uint64_t reach_in_block(
	struct guards *g, LLVMValueRef inst, LLVMValueRef root, int64_t constant, uint64_t size, uint64_t most)
{
	for (; inst; inst = LLVMGetNextInstruction(inst)) {
		struct access a[2];
		unsigned n = accesses_of(g->layout, inst, a);

		for (unsigned k = 0; k < n; k++) {
			int64_t other;

			if (root_of(g->layout, LLVMGetOperand(inst, a[k].operand), &other) != root || other < constant)
				continue;
			if (a[k].size <= most && (uint64_t)(other - constant) <= most - a[k].size &&
				(uint64_t)(other - constant) + a[k].size > size)
				size = (uint64_t)(other - constant) + a[k].size;
		}
	}
	return size;
}

struct checked *new_checked(struct guards *g)
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

void suit_event(struct guards *g, struct base *base, LLVMValueRef inst, const struct access *a)
{
	int64_t constant;

	root_of(g->layout, LLVMGetOperand(inst, a->operand), &constant);
	widen_event(base, a->size);
	if (base->kind != BASE_LOADED || !is_event(base) || access_writes(inst, a) || constant < 0 ||
		(uint64_t)constant + a->size <= base->size)
		return;
	LLVMPositionBuilderBefore(g->b, inst);
	base->value = add_constant(g, base->value, constant);
	base->size = event_has((uint64_t)constant + a->size) ? a->size : 0;
}

/*
 * Does the verifier take the index into a variable for an address? The distance of a pointer from one that may be NULL
 * is one: of a number it knows nothing, so as far as it can tell that was zero.
 */
static bool is_address(const struct guards *g, int i, const struct base *base)
{
	return base->kind != BASE_LOADED && (g->plan->of[i].want & WANT_COUNTED);
}

/* Turned round twice it is what it was, and any number. */
static LLVMValueRef as_number(struct guards *g, LLVMValueRef v)
{
	static const char text[] = "notq $0\n\tnotq $0";
	LLVMTypeRef i64 = LLVMInt64TypeInContext(g->ctx), fn = LLVMFunctionType(i64, &i64, 1, 0);

	return LLVMBuildCall2(g->b, fn,
		LLVMGetInlineAsm(fn, text, sizeof(text) - 1, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0), &v, 1, "");
}

/*
 * Check root + constant, before instruction i. A root that is computed is made once, where the optimiser can't see
 * through it, so that what is checked and what is used are one register's.
 */
static struct checked check_address(struct guards *g, int i, const struct base *base, LLVMValueRef root,
	int64_t constant, uint64_t limit, bool counted)
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
	address = counted ? LLVMBuildGEP2(g->b, LLVMInt8TypeInContext(g->ctx), base->value, &off, 1, "")
			  : add_constant(g, address, constant);
	return (struct checked){.root = root, .address = address, .constant = constant, .at = i, .counted = counted};
}

/*
 * NULL, or so many bytes behind it: where the optimiser knows that a pointer is NULL, on a way that isn't taken mostly.
 */
static bool is_number(LLVMValueRef address)
{
	return LLVMIsAConstantPointerNull(address) ||
	       (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMIntToPtr &&
		       LLVMIsAConstantInt(LLVMGetOperand(address, 0)));
}

void guard_access(struct guards *g, int i, int block, const struct access *a)
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
	limit = base_size(&base, g->options->state_size);
	/* whoever comes here is stopped: the rest of the block goes away */
	if (limit < size || (access_writes(inst, a) && base.kind == BASE_LOADED && is_read_only(&base))) {
		call_stop(g, i, "access");
		return;
	}
	if (guard_pointer(g, i, block, a, &base) || guard_sum(g, i, block, a, &base) ||
		(!is_address(g, i, &base) && guard_index(g, i, block, a, &base)))
		return;
	root = root_of(g->layout, address, &constant);
	c = has_own_guard(g, i) ? NULL : find_checked(g, root, constant, size, counted, i, block);
	if (c) {
		does_for(g, c->at, i);
	} else {
		if (!has_room)
			size = reach_in_block(g, inst, root, constant, size,
				root == base.value && constant >= 0 && (uint64_t)constant < limit
					? limit - (uint64_t)constant
					: limit);
		c = new_checked(g);
		if (!c) {
			g->failed = true;
			return;
		}
		/* an index, too, may be below 0 */
		from = !counted && has_room && !LLVMIsAGetElementPtrInst(root) && constant > 0 && constant <= MAX_ROOM
			       ? 0
			       : constant;
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

/*
 * How far behind a loaded pointer an access reaches, as far as the types of its address say; 0 if they don't, or if it
 * is far.
 */
static uint64_t extent_behind(const struct guards *g, LLVMValueRef address, uint64_t size)
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

void make_room(struct guards *g, LLVMBasicBlockRef block)
{
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		struct access a[2];
		unsigned n = accesses_of(g->layout, inst, a);

		for (unsigned k = 0; k < n; k++) {
			LLVMValueRef address = LLVMGetOperand(inst, a[k].operand);
			struct base base = base_of(g->layout, g->fn, address);
			uint64_t room = base.kind == BASE_LOADED && is_in_state(&base)
						? extent_behind(g, address, a[k].size)
						: 0;

			g->traps->room = room > g->traps->room ? room : g->traps->room;
		}
	}
}
