/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one constant that constants.c makes of its members: where each of them is in it, and what it holds in place of
 * addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "constants.h"

static LLVMTypeRef type_without(struct constants *k, LLVMTypeRef type)
{
	LLVMTypeRef *fields;
	unsigned n;

	if (!has_pointer(type))
		return type;
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return k->i64;
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		return LLVMArrayType2(type_without(k, LLVMGetElementType(type)), LLVMGetArrayLength2(type));
	n = LLVMCountStructElementTypes(type);
	fields = calloc(n + (size_t)1, sizeof(*fields));
	k->no_memory |= !fields;
	for (unsigned i = 0; fields && i < n; i++)
		fields[i] = type_without(k, LLVMStructGetTypeAtIndex(type, i));
	type = fields ? LLVMStructTypeInContext(k->ctx, fields, n, LLVMIsPackedStruct(type)) : type;
	free(fields);
	return type;
}

/* How far from the start the constant address `v` is. */
int64_t distance(const struct constants *k, LLVMValueRef v)
{
	int64_t constant;
	const struct member *m = member_of(k, root_of(k->layout, v, &constant));

	return m ? (int64_t)m->at + constant : 0;
}

/* What a number comes to that is made of addresses' differences. */
static int64_t value_of(const struct constants *k, LLVMValueRef v)
{
	if (LLVMIsAConstantInt(v))
		return LLVMConstIntGetSExtValue(v);
	if (!LLVMIsAConstantExpr(v))
		return 0;
	switch (LLVMGetConstOpcode(v)) {
	case LLVMTrunc: return value_of(k, LLVMGetOperand(v, 0));
	case LLVMPtrToInt: return distance(k, LLVMGetOperand(v, 0));
	case LLVMSub:
		return (int64_t)((uint64_t)value_of(k, LLVMGetOperand(v, 0)) -
				 (uint64_t)value_of(k, LLVMGetOperand(v, 1)));
	case LLVMAdd:
		return (int64_t)((uint64_t)value_of(k, LLVMGetOperand(v, 0)) +
				 (uint64_t)value_of(k, LLVMGetOperand(v, 1)));
	default: return 0;
	}
}

static LLVMValueRef without_addresses(struct constants *k, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMValueRef *elements, made;
	unsigned n;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMConstInt(k->i64, (uint64_t)distance(k, v), 0);
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMIsAConstantExpr(v))
		return LLVMConstInt(type, (uint64_t)value_of(k, v), 1);
	if (LLVMIsNull(v) || LLVMIsUndef(v))
		return LLVMConstNull(type_without(k, type));
	if (!is_aggregate_type(type) || LLVMIsAConstantDataSequential(v))
		return v;
	n = n_elements(type);
	elements = calloc(n + (size_t)1, sizeof(*elements));
	k->no_memory |= !elements;
	if (!elements)
		return v;
	for (unsigned i = 0; i < n; i++)
		elements[i] = without_addresses(k, LLVMGetAggregateElement(v, i));
	if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		made = LLVMConstArray2(type_without(k, LLVMGetElementType(type)), elements, n);
	else
		made = LLVMConstStructInContext(k->ctx, elements, n, LLVMIsPackedStruct(type));
	free(elements);
	return made;
}

static LLVMTypeRef padding_type(const struct constants *k, uint64_t bytes)
{
	return LLVMArrayType2(k->i8, bytes);
}

/* Each member after padding, the first of which is there in any case. */
void place_members(struct constants *k, LLVMTypeRef *types)
{
	uint64_t end = ENTRY;
	unsigned most = ENTRY;

	for (unsigned i = 0; i < k->n; i++) {
		LLVMTypeRef type = LLVMGlobalGetValueType(k->members[i].global);
		unsigned align = LLVMABIAlignmentOfType(k->layout, type), own = LLVMGetAlignment(k->members[i].global);

		align = own > align ? own : align;
		most = align > most ? align : most;
		k->members[i].at = (end + align - 1) / align * align;
		types[2 * i] = padding_type(k, k->members[i].at - (i ? end : 0));
		types[2 * i + 1] = type_without(k, type);
		end = k->members[i].at + k->members[i].size;
	}
	k->pool = LLVMAddGlobal(k->m, LLVMStructTypeInContext(k->ctx, types, 2 * k->n, 1), "ward.constants");
	LLVMSetGlobalConstant(k->pool, 1);
	LLVMSetLinkage(k->pool, LLVMInternalLinkage);
	LLVMSetAlignment(k->pool, most);
}

void pool_fill(struct constants *k, LLVMTypeRef *types, LLVMValueRef *values)
{
	for (unsigned i = 0; i < k->n; i++) {
		values[2 * i] = LLVMConstNull(types[2 * i]);
		values[2 * i + 1] = without_addresses(k, LLVMGetInitializer(k->members[i].global));
	}
	LLVMSetInitializer(k->pool, LLVMConstStructInContext(k->ctx, values, 2 * k->n, 1));
	note_members(k);
	for (unsigned i = 0; i < k->n; i++)
		LLVMSetInitializer(k->members[i].global, LLVMGetUndef(LLVMGlobalGetValueType(k->members[i].global)));
	for (unsigned i = 0; i < k->n; i++) {
		LLVMValueRef at = LLVMConstInt(k->i64, k->members[i].at, 0);

		LLVMReplaceAllUsesWith(k->members[i].global, LLVMConstInBoundsGEP2(k->i8, k->pool, &at, 1));
		LLVMDeleteGlobal(k->members[i].global);
	}
}
