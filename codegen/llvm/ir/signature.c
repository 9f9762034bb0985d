/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a probe function void (struct ward_event *, struct … *)? In LLVM's terms all pointers are alike, so the debug
 * information is read. The C interface shows its nodes as lists of operands. Their order is that of LLVM 19's DINode
 * classes: file, scope, name, then what each class adds.
 */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "probe.h"

enum { OP_NAME = 2, OP_BASE = 3, OP_TYPES = 3, OP_SUBPROGRAM_TYPE = 4, MAX_OPERANDS = 64 };

/* Operand i of a node, or NULL. */
static LLVMValueRef node_operand(LLVMValueRef node, unsigned i)
{
	LLVMValueRef ops[MAX_OPERANDS];
	unsigned n;

	if (!node || !LLVMIsAMDNode(node))
		return NULL;
	n = LLVMGetMDNodeNumOperands(node);
	if (i >= n || n > MAX_OPERANDS)
		return NULL;
	LLVMGetMDNodeOperands(node, ops);
	return ops[i];
}

static LLVMMetadataKind node_kind(LLVMValueRef node)
{
	return LLVMGetMetadataKind(LLVMValueAsMetadata(node));
}

/* What a pointer type points to, without typedefs and qualifiers; NULL if it is no pointer. */
static LLVMValueRef pointee_type(LLVMValueRef type)
{
	int i;

	for (i = 0; i < 32 && type && node_kind(type) == LLVMDIDerivedTypeMetadataKind; i++)
		type = node_operand(type, OP_BASE);
	return type;
}

static bool is_struct(LLVMValueRef type, const char *name)
{
	LLVMValueRef s;
	const char *text;
	unsigned n = 0;

	if (!type || node_kind(type) != LLVMDICompositeTypeMetadataKind)
		return false;
	if (!name)
		return true;
	s = node_operand(type, OP_NAME);
	text = s ? LLVMGetMDString(s, &n) : NULL;
	return text && n == strlen(name) && memcmp(text, name, n) == 0;
}

bool has_entry_type(LLVMValueRef fn)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(fn), params[2];
	LLVMMetadataRef sub = LLVMGetSubprogram(fn);
	LLVMValueRef types;

	if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind || LLVMCountParamTypes(type) != 2 ||
		LLVMIsFunctionVarArg(type))
		return false;
	LLVMGetParamTypes(type, params);
	if (LLVMGetTypeKind(params[0]) != LLVMPointerTypeKind || LLVMGetTypeKind(params[1]) != LLVMPointerTypeKind)
		return false;
	if (!sub)
		return true; /* nothing to judge by */
	types = node_operand(node_operand(LLVMMetadataAsValue(LLVMGetModuleContext(LLVMGetGlobalParent(fn)), sub),
				     OP_SUBPROGRAM_TYPE),
		OP_TYPES);
	return is_struct(pointee_type(node_operand(types, 1)), "ward_event") &&
	       is_struct(pointee_type(node_operand(types, 2)), NULL);
}

/* The struct behind the second parameter. */
static LLVMValueRef state_struct(LLVMValueRef fn)
{
	LLVMMetadataRef sub = LLVMGetSubprogram(fn);
	LLVMValueRef types;

	if (!sub)
		return NULL;
	types = node_operand(node_operand(LLVMMetadataAsValue(LLVMGetModuleContext(LLVMGetGlobalParent(fn)), sub),
				     OP_SUBPROGRAM_TYPE),
		OP_TYPES);
	return pointee_type(node_operand(types, 2));
}

static const char behind_name[] = "ward.behind";
enum { BEHIND_NUMBERS = 4 };

void set_behind_state(LLVMModuleRef m, const struct behind_state *behind)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx);
	LLVMMetadataRef numbers[BEHIND_NUMBERS] = {
		LLVMValueAsMetadata(LLVMConstInt(i64, behind->room, 0)),
		LLVMValueAsMetadata(LLVMConstInt(i64, behind->locals, 0)),
		LLVMValueAsMetadata(LLVMConstInt(i64, behind->shared_at, 0)),
		LLVMValueAsMetadata(LLVMConstInt(i64, behind->shared_size, 0)),
	};

	LLVMAddNamedMetadataOperand(
		m, behind_name, LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, numbers, BEHIND_NUMBERS)));
}

struct behind_state behind_state(LLVMModuleRef m)
{
	LLVMValueRef node, numbers[BEHIND_NUMBERS];

	if (LLVMGetNamedMetadataNumOperands(m, behind_name) == 0)
		return (struct behind_state){0};
	LLVMGetNamedMetadataOperands(m, behind_name, &node);
	LLVMGetMDNodeOperands(node, numbers);
	return (struct behind_state){LLVMConstIntGetZExtValue(numbers[0]), LLVMConstIntGetZExtValue(numbers[1]),
		LLVMConstIntGetZExtValue(numbers[2]), LLVMConstIntGetZExtValue(numbers[3])};
}

uint64_t state_size_of(LLVMModuleRef m)
{
	LLVMValueRef fn, type;
	uint64_t most = 0;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		type = is_entry(fn) && !LLVMIsDeclaration(fn) ? state_struct(fn) : NULL;
		if (type && node_kind(type) == LLVMDICompositeTypeMetadataKind) {
			uint64_t size = LLVMDITypeGetSizeInBits(LLVMValueAsMetadata(type)) / 8;

			most = size > most ? size : most;
		}
	}
	return most + behind_state(m).room;
}
