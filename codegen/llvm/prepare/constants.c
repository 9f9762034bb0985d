/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants that hold addresses of constants: tables of strings, of structs with names, of other tables, lists.
 *
 * A module is never relocated, so it can't hold addresses. But constants keep their distances. So a constant that
 * holds addresses, those that it leads to, and so on, become one constant, and each address becomes a distance from
 * its start. Nothing is at its start, so that zero still means NULL. A load from such a place adds the start. The
 * verifier follows that like any sum: it knows all the entries that an index may choose.
 *
 * That is right only if every load knows whether it loads an address. So for each load it must be plain from which
 * constants its address is counted, and that wherever it may read there are addresses, or none. An address is traced
 * to its origins, and for each of them to a residue: constant + stride * k. Copies of structs load each member that
 * is an address again afterwards. Refused is what mixes addresses of constants with others, and what stores the
 * address of a constant that holds addresses: a later load wouldn't know what it loads.
 *
 * Optimised tables can hold distances from themselves (llvm.load.relative), which are numbers of four bytes. Their
 * entries stay as they are.
 */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

/* ---- members ---- */

struct member *member_of(const struct constants *k, LLVMValueRef global)
{
	for (unsigned i = 0; i < k->n; i++)
		if (k->members[i].global == global)
			return &k->members[i];
	return NULL;
}

bool has_pointer(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind: return true;
	case LLVMArrayTypeKind: return LLVMGetArrayLength2(type) && has_pointer(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (has_pointer(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default: return false;
	}
}

unsigned n_elements(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type)
							  : LLVMCountStructElementTypes(type);
}

bool is_aggregate_type(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMArrayTypeKind || LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

static uint64_t place_of_element(const struct constants *k, LLVMTypeRef type, unsigned i)
{
	return LLVMGetTypeKind(type) == LLVMArrayTypeKind ? i * LLVMABISizeOfType(k->layout, LLVMGetElementType(type))
							  : LLVMOffsetOfElement(k->layout, type, i);
}

bool is_constant(LLVMValueRef g)
{
	return LLVMIsAGlobalVariable(g) && LLVMIsGlobalConstant(g) && LLVMGetInitializer(g) && !LLVMGetSection(g) &&
	       !LLVMIsThreadLocal(g);
}

/* Room for one more. */
static bool list_grow(struct constants *k, void *list, unsigned n, unsigned *cap, size_t size)
{
	void *old, *grown;

	if (n < *cap)
		return true;
	memcpy(&old, list, sizeof(old));
	grown = realloc(old, (2 * (size_t)*cap + 16) * size);
	k->no_memory |= !grown;
	if (!grown)
		return false;
	memcpy(list, &grown, sizeof(grown));
	*cap = 2 * *cap + 16;
	return true;
}

static void add_member(struct constants *k, LLVMValueRef global)
{
	struct member m = {.global = global, .found = k->n};

	if (!is_constant(global) || member_of(k, global) || !list_grow(k, &k->members, k->n, &k->cap, sizeof(m)))
		return;
	m.size = LLVMABISizeOfType(k->layout, LLVMGlobalGetValueType(global));
	m.slots = has_pointer(LLVMGlobalGetValueType(global)) ? calloc(m.size + 1, sizeof(*m.slots)) : NULL;
	k->no_memory |= !m.slots && has_pointer(LLVMGlobalGetValueType(global));
	k->members[k->n++] = m;
}

/* Returns the slot of one. */
static uint32_t add_address(struct constants *k, LLVMValueRef v)
{
	struct address a;

	a.global = root_of(k->layout, v, &a.constant);
	add_member(k, a.global);
	if (!member_of(k, a.global) || !list_grow(k, &k->addresses, k->n_addresses, &k->cap_addresses, sizeof(a)))
		return NO_ADDRESS;
	k->addresses[k->n_addresses] = a;
	return FIRST_ADDRESS + k->n_addresses++;
}

/* What the constant `v` holds addresses of, and where in member `of`. */
static void add_addresses(struct constants *k, LLVMValueRef v, unsigned of, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(v);

	if (k->no_memory)
		return;
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
		uint32_t slot = LLVMIsNull(v) || LLVMIsUndef(v) ? NO_ADDRESS : add_address(k, v);

		if (k->members[of].slots)
			k->members[of].slots[at] = slot;
	} else if (is_aggregate_type(type)) {
		for (unsigned i = 0; (has_pointer(type) || !LLVMIsNull(v)) && !LLVMIsAConstantDataSequential(v) &&
				     i < n_elements(type);
			i++)
			add_addresses(k, LLVMGetAggregateElement(v, i), of, at + place_of_element(k, type, i));
	} else if (LLVMIsAConstantExpr(v)) { /* how far it is from somewhere */
		add_addresses(k, LLVMGetOperand(v, 0), of, at);
	}
}

/*
 * What holds no addresses comes first: who reads a little too far behind the end of a string is still within the whole,
 * which takes fewer guards.
 */
static int plain_first(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (!x->slots != !y->slots)
		return x->slots ? 1 : -1;
	return x->found < y->found ? -1 : x->found > y->found;
}

/*
 * All constants that hold addresses, or null pointers as others hold addresses, and all that they lead to. Returns
 * whether there are any, and only such as were not refused.
 */
static bool find_members(struct constants *k)
{
	bool found = false;

	for (LLVMValueRef g = LLVMGetFirstGlobal(k->m); g; g = LLVMGetNextGlobal(g)) {
		if (is_constant(g) && address_in(LLVMGetInitializer(g), is_constant, 0))
			return false;
		found |= is_constant(g) && address_in(LLVMGetInitializer(g), NULL, 0);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(k->m); found && g; g = LLVMGetNextGlobal(g))
		if (is_constant(g) &&
			(has_pointer(LLVMGlobalGetValueType(g)) || address_in(LLVMGetInitializer(g), NULL, 0)))
			add_member(k, g);
	for (unsigned i = 0; i < k->n; i++) {
		k->members[i].first = k->n_addresses;
		add_addresses(k, LLVMGetInitializer(k->members[i].global), i, 0);
		k->members[i].n = k->n_addresses - k->members[i].first;
	}
	if (k->n)
		qsort(k->members, k->n, sizeof(*k->members), plain_first);
	return k->n > 0;
}

/* ---- what can't be done ---- */

static bool refuse_read(struct constants *k, LLVMValueRef inst, const struct member *of)
{
	char name[256];

	diag_add(k->d, place_of_instruction(inst),
		"read one member at a time, by its own name; let one pointer lead only to constants or only to the "
		"state",
		"this may read an address in the constant '%s', or something else",
		name_in_source(of->global, name, sizeof(name)));
	return false;
}

/* A pointer to what holds addresses is not kept, as nobody would know then what is loaded through it. */
static bool check_store(struct constants *k, LLVMValueRef store)
{
	LLVMValueRef v = LLVMGetOperand(store, 0), list[MAX_LEAVES];
	const struct member *kept = NULL;
	char name[256];
	bool all;
	int n;

	if (LLVMIsAPtrToIntInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt))
		v = LLVMGetOperand(v, 0);
	n = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? origins_of(v, list, &all) : 0;
	for (int i = 0; i < n && !kept; i++) {
		const struct member *m = member_of(k, list[i]);
		const struct residue *reach = reach_of(k, list[i]);

		if (m && m->slots)
			kept = m;
		for (unsigned t = 0; reach && t < k->n; t++)
			if (k->members[t].slots && reach[t].any)
				kept = &k->members[t];
	}
	if (kept)
		diag_add(k->d, place_of_instruction(store), "store an index, or what it holds",
			"the address of '%s' is stored, a constant that holds addresses itself",
			name_in_source(kept->global, name, sizeof(name)));
	return !kept;
}

/* ---- loads and copies ---- */

static LLVMValueRef at_offset(struct constants *k, LLVMValueRef from, LLVMValueRef offset)
{
	return LLVMBuildGEP2(k->b, k->i8, from, &offset, 1, "");
}

static LLVMValueRef load_pointer(struct constants *k, LLVMValueRef address)
{
	LLVMValueRef p = LLVMBuildLoad2(k->b, LLVMPointerTypeInContext(k->ctx, 0), address, "");

	LLVMSetAlignment(p, 1);
	return p;
}

/* What was copied of entries is no address: each is loaded by itself and stored over it. */
static bool split_copy(struct constants *k, LLVMValueRef copy, uint64_t size)
{
	LLVMValueRef to = LLVMGetOperand(copy, 0), from = LLVMGetOperand(copy, 1);

	LLVMPositionBuilderBefore(k->b, LLVMGetNextInstruction(copy));
	LLVMSetCurrentDebugLocation2(k->b, LLVMInstructionGetDebugLoc(copy));
	for (uint64_t i = 0; i < size; i++) {
		LLVMValueRef offset = LLVMConstInt(k->i64, i, 0), there = at_offset(k, from, offset);
		struct seen s = look_plainly(k, there, size - i < ENTRY ? 1 : ENTRY);

		if (s.of && s.own && !s.other && !s.part) {
			LLVMSetAlignment(LLVMBuildStore(k->b, load_pointer(k, there), at_offset(k, to, offset)), 1);
			i += ENTRY - 1;
			continue;
		}
		if (LLVMIsAInstruction(there))
			LLVMInstructionEraseFromParent(there);
		if (s.of && (!s.own || s.whole || size - i < ENTRY))
			return refuse_read(k, copy, s.of);
	}
	return true;
}

/* An entry that is loaded as a number, for a copy has become that. */
static void load_as_pointer(struct constants *k, LLVMValueRef load)
{
	struct seen s = look_plainly(k, LLVMGetOperand(load, 0), ENTRY);
	LLVMValueRef p;

	if (!s.of || !s.own || s.other || s.part)
		return;
	LLVMPositionBuilderBefore(k->b, load);
	p = load_pointer(k, LLVMGetOperand(load, 0));
	LLVMSetVolatile(p, LLVMGetVolatile(load));
	LLVMReplaceAllUsesWith(load, LLVMBuildPtrToInt(k->b, p, k->i64, ""));
	LLVMInstructionEraseFromParent(load);
}

static bool load_split(struct constants *k, LLVMValueRef inst)
{
	struct access a[2];

	if (LLVMIsALoadInst(inst) && LLVMTypeOf(inst) == k->i64)
		load_as_pointer(k, inst);
	else if (accesses_of(k->layout, inst, a) == 2 && look_plainly(k, LLVMGetOperand(inst, 1), a[1].size).of)
		return split_copy(k, inst, a[1].size);
	return true;
}

/* All that reads entries by now is to be a source. */
static bool load_check(struct constants *k, LLVMValueRef inst)
{
	struct seen s;

	if (LLVMIsAStoreInst(inst))
		check_store(k, inst);
	if (is_relative(inst) && !reach_of(k, inst))
		refuse_read(k, inst, &k->members[k->n - 1]);
	if (!LLVMIsALoadInst(inst) || reach_of(k, inst))
		return true;
	s = look_plainly(k, LLVMGetOperand(inst, 0), LLVMStoreSizeOfType(k->layout, LLVMTypeOf(inst)));
	if (s.of)
		refuse_read(k, inst, s.of);
	return true;
}

/* The address that is told there: a distance from the start, or from the table. */
static LLVMValueRef decoded_address(struct constants *k, LLVMValueRef source, bool may_be_null)
{
	LLVMValueRef at = LLVMGetOperand(source, 0), offset, p;

	LLVMPositionBuilderBefore(k->b, source);
	if (is_relative(source)) {
		offset = LLVMBuildLoad2(k->b, k->i32, at_offset(k, at, LLVMGetOperand(source, 1)), "");
		return at_offset(k, at, LLVMBuildSExt(k->b, offset, k->i64, ""));
	}
	offset = LLVMBuildLoad2(k->b, k->i64, at, "");
	LLVMSetAlignment(offset, 1);
	LLVMSetVolatile(offset, LLVMGetVolatile(source));
	p = at_offset(k, k->pool, offset);
	return may_be_null
		       ? LLVMBuildSelect(k->b, LLVMBuildIsNull(k->b, offset, ""), LLVMConstNull(LLVMTypeOf(p)), p, "")
		       : p;
}

static void rewrite_sources(struct constants *k)
{
	bool *null = calloc(k->n_sources + (size_t)1, sizeof(*null));

	k->no_memory |= !null;
	for (unsigned i = 0; null && i < k->n_sources; i++)
		null[i] = !is_relative(k->sources[i]) && look_plainly(k, LLVMGetOperand(k->sources[i], 0), ENTRY).null;
	for (unsigned i = 0; null && i < k->n_sources; i++) {
		LLVMReplaceAllUsesWith(k->sources[i], decoded_address(k, k->sources[i], null[i]));
		LLVMInstructionEraseFromParent(k->sources[i]);
	}
	k->n_sources = 0;
	free(null);
}

static void make_one(struct constants *k)
{
	LLVMTypeRef *types = calloc(2 * (size_t)k->n, sizeof(*types));
	LLVMValueRef *values = calloc(2 * (size_t)k->n, sizeof(*values));
	size_t before = k->d->n;

	k->no_memory |= !types || !values;
	if (!k->no_memory)
		find_sources(k);
	if (!k->no_memory && each_instruction(k, load_split))
		find_sources(k);
	if (!k->no_memory)
		each_instruction(k, load_check);
	if (!k->no_memory && k->d->n == before) {
		place_members(k, types);
		rewrite_sources(k);
		pool_fill(k, types, values);
	}
	free(types);
	free(values);
}

bool gather_constants(LLVMModuleRef m, struct diags *d)
{
	struct constants k = {.m = m, .d = d, .ctx = LLVMGetModuleContext(m), .layout = LLVMGetModuleDataLayout(m)};

	k.i8 = LLVMInt8TypeInContext(k.ctx);
	k.i32 = LLVMInt32TypeInContext(k.ctx);
	k.i64 = LLVMInt64TypeInContext(k.ctx);
	k.b = LLVMCreateBuilderInContext(k.ctx);
	if (find_members(&k) && !k.no_memory)
		make_one(&k);
	for (unsigned i = 0; i < k.n; i++)
		free(k.members[i].slots);
	free(k.members);
	free(k.addresses);
	free(k.sources);
	free(k.reach);
	free(k.before);
	LLVMDisposeBuilder(k.b);
	return !k.no_memory;
}
