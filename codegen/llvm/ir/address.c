/* SPDX-License-Identifier: Apache-2.0 */
#include "address.h"

#include <string.h>

#include "points_to.h"
#include "probe.h"
#include "ptr_int.h"
#include "allocas.h"

enum {
	FACTOR_DEPTH = 4,
	MAX_ELEMENTS = 1 << 16,
	WORD = 8,
#define EVENT_FIELD(name, count, text) SIZE_##name = WORD * (count),
#include "ward/event.def"
#undef EVENT_FIELD
	SIZE_EVENT = 0
#define EVENT_FIELD(name, count, text) +SIZE_##name
#include "ward/event.def"
#undef EVENT_FIELD
};

static uint64_t bytes_of(LLVMTargetDataRef layout, LLVMTypeRef type)
{
	return LLVMStoreSizeOfType(layout, type);
}

unsigned accesses_of(LLVMTargetDataRef layout, LLVMValueRef inst, struct access found[2])
{
	LLVMValueRef callee;
	const char *name;
	uint64_t size;
	size_t n;

	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad: found[0] = (struct access){0, bytes_of(layout, LLVMTypeOf(inst))}; return 1;
	case LLVMStore: found[0] = (struct access){1, bytes_of(layout, LLVMTypeOf(LLVMGetOperand(inst, 0)))}; return 1;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		found[0] = (struct access){0, bytes_of(layout, LLVMTypeOf(LLVMGetOperand(inst, 1)))};
		return 1;
	case LLVMCall: break;
	default: return 0;
	}
	callee = LLVMGetCalledValue(inst);
	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return 0;
	name = LLVMGetValueName2(callee, &n);
	if (strncmp(name, "llvm.mem", 8) != 0 || !LLVMIsAConstantInt(LLVMGetOperand(inst, 2)))
		return 0;
	size = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2));
	found[0] = (struct access){0, size};
	found[1] = (struct access){1, size};
	return size == 0 ? 0 : strncmp(name, "llvm.memset", 11) == 0 ? 1 : 2;
}

bool access_writes(LLVMValueRef inst, const struct access *a)
{
	return LLVMIsAStoreInst(inst) || is_atomic_update(inst) || (LLVMIsACallInst(inst) && a->operand == 0);
}

bool is_atomic_update(LLVMValueRef inst)
{
	return LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
}

/* ---- what an address is made of ---- */

static bool is_gep(LLVMValueRef v)
{
	return (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMGetElementPtr) ||
	       (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

bool gep_step(
	LLVMTargetDataRef layout, LLVMTypeRef *type, LLVMValueRef index, bool first, uint64_t *scale, uint64_t *field)
{
	*scale = *field = 0;
	if (first) {
		*scale = LLVMABISizeOfType(layout, *type);
		return true;
	}
	switch (LLVMGetTypeKind(*type)) {
	case LLVMStructTypeKind: {
		unsigned k = (unsigned)LLVMConstIntGetZExtValue(index);

		*field = LLVMOffsetOfElement(layout, *type, k);
		*type = LLVMStructGetTypeAtIndex(*type, k);
		return true;
	}
	case LLVMArrayTypeKind:
		*type = LLVMGetElementType(*type);
		*scale = LLVMABISizeOfType(layout, *type);
		return true;
	default: return false;
	}
}

LLVMValueRef root_of(LLVMTargetDataRef layout, LLVMValueRef address, int64_t *constant)
{
	*constant = 0;
	while (is_gep(address)) {
		LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
		uint64_t sum = 0, scale, field;
		int n = LLVMGetNumOperands(address);

		for (int i = 1; i < n; i++) {
			LLVMValueRef index = LLVMGetOperand(address, (unsigned)i);

			if (!LLVMIsAConstantInt(index) || !gep_step(layout, &type, index, i == 1, &scale, &field))
				return address;
			sum += field + scale * (uint64_t)LLVMConstIntGetSExtValue(index);
		}
		*constant += (int64_t)sum;
		address = LLVMGetOperand(address, 0);
	}
	return address;
}

uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Is the number one of two small ones? */
static bool is_either(LLVMValueRef v, int64_t *low, int64_t *high)
{
	int64_t a = 0, b = 1;

	if (LLVMIsASelectInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
		LLVMIsAConstantInt(LLVMGetOperand(v, 2))) {
		a = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
		b = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 2));
	} else if (!LLVMIsAZExtInst(v) || LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) != 1) {
		return false;
	}
	*low = a < b ? a : b;
	*high = a < b ? b : a;
	return *low > -(1 << 20) && *high < 1 << 20;
}

/* What a number is made of: a multiple of *factor, or one of two. */
static LLVMValueRef without_factor(LLVMValueRef v, uint64_t *factor)
{
	for (int depth = 0; depth < FACTOR_DEPTH && LLVMIsAInstruction(v); depth++) {
		LLVMOpcode op = LLVMGetInstructionOpcode(v);
		LLVMValueRef by = LLVMGetNumOperands(v) == 2 ? LLVMGetOperand(v, 1) : NULL;
		uint64_t n = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
		int64_t low, high;

		if (is_either(v, &low, &high))
			break;
		if (op == LLVMShl && n > 0 && n < 16)
			*factor <<= n;
		else if (op == LLVMMul && n > 0 && n < 1 << 16)
			*factor *= n;
		else if (op != LLVMZExt && op != LLVMSExt)
			break;
		v = LLVMGetOperand(v, 0);
	}
	return v;
}

static void add_term(struct terms *t, LLVMValueRef index, uint64_t scale)
{
	uint64_t factor = 1;
	LLVMValueRef v = without_factor(index, &factor);
	int64_t low, high;

	scale *= factor;
	if (!is_either(v, &low, &high) || scale > INT32_MAX) {
		t->stride = gcd(t->stride, scale);
		return;
	}
	t->constant += (int64_t)scale * low;
	t->spread += (int64_t)scale * (high - low);
	t->apart = gcd(t->apart, scale * (uint64_t)(high - low));
}

/* The last index of an array of `n` elements: one of them is meant, not one of what lies beside the array. */
static void add_element(struct terms *t, LLVMValueRef index, uint64_t scale, uint64_t n)
{
	if (n < 2 || n > MAX_ELEMENTS || scale > MAX_ELEMENTS) {
		add_term(t, index, scale);
		return;
	}
	t->spread += (int64_t)(scale * (n - 1));
	t->apart = gcd(t->apart, scale);
}

/* How many elements the last of the operands chooses from; 0: it is constant, or a field, or no array says. */
static uint64_t elements_of_last(LLVMTargetDataRef layout, LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	int last = LLVMGetNumOperands(gep) - 1;
	uint64_t scale, field;

	for (int i = 1; i < last; i++)
		if (!gep_step(layout, &type, LLVMGetOperand(gep, (unsigned)i), i == 1, &scale, &field))
			return 0;
	return last > 1 && LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
			       !LLVMIsAConstantInt(LLVMGetOperand(gep, (unsigned)last))
		       ? LLVMGetArrayLength2(type)
		       : 0;
}

bool gep_terms(LLVMTargetDataRef layout, LLVMValueRef v, struct terms *t)
{
	LLVMTypeRef type;
	uint64_t scale, field, n;

	*t = (struct terms){0};
	if (!is_gep(v))
		return false;
	n = elements_of_last(layout, v);
	type = LLVMGetGEPSourceElementType(v);
	for (int i = 1; i < LLVMGetNumOperands(v); i++) {
		LLVMValueRef index = LLVMGetOperand(v, (unsigned)i);

		if (!gep_step(layout, &type, index, i == 1, &scale, &field))
			t->stride = 1;
		else if (n && i == LLVMGetNumOperands(v) - 1)
			add_element(t, index, scale, n);
		else if (LLVMIsAConstantInt(index))
			t->constant += (int64_t)(field + scale * (uint64_t)LLVMConstIntGetSExtValue(index));
		else
			add_term(t, index, scale);
	}
	return true;
}

LLVMValueRef build_distance(LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef base)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(address)));

	return LLVMBuildSub(b, LLVMBuildPtrToInt(b, address, i64, ""), LLVMBuildPtrToInt(b, base, i64, ""), "");
}

LLVMValueRef build_offset(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef address, LLVMValueRef base)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(address)));
	LLVMValueRef sum = NULL;

	while (address != base && is_gep(address)) {
		LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
		int n = LLVMGetNumOperands(address);

		for (int i = 1; i < n; i++) {
			LLVMValueRef index = LLVMGetOperand(address, (unsigned)i), term;
			uint64_t scale, field;

			if (!gep_step(layout, &type, index, i == 1, &scale, &field))
				return build_distance(b, address, base);
			term = LLVMConstInt(i64, field, 0);
			if (scale) {
				index = LLVMBuildSExtOrBitCast(b, index, i64, "");
				term = scale == 1 ? index : LLVMBuildMul(b, index, LLVMConstInt(i64, scale, 0), "");
			}
			sum = sum ? LLVMBuildAdd(b, sum, term, "") : term;
		}
		address = LLVMGetOperand(address, 0);
	}
	if (address != base)
		sum = sum ? LLVMBuildAdd(b, opaque(b, build_distance(b, address, base)), sum, "")
			  : build_distance(b, address, base);
	return sum ? sum : LLVMConstNull(i64);
}

bool one_index(LLVMTargetDataRef layout, LLVMValueRef address, LLVMValueRef base, struct indexed *found)
{
	*found = (struct indexed){0};
	while (address != base) {
		LLVMTypeRef type;
		int n = LLVMGetNumOperands(address);

		if (!is_gep(address))
			return false;
		type = LLVMGetGEPSourceElementType(address);
		for (int i = 1; i < n; i++) {
			LLVMValueRef index = LLVMGetOperand(address, (unsigned)i);
			uint64_t scale, field;

			if (!gep_step(layout, &type, index, i == 1, &scale, &field))
				return false;
			if (LLVMIsAConstantInt(index)) {
				found->constant += (int64_t)(field + scale * (uint64_t)LLVMConstIntGetSExtValue(index));
			} else {
				if (found->index || scale == 0 || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 64)
					return false;
				found->index = index;
				found->scale = scale;
			}
		}
		address = LLVMGetOperand(address, 0);
	}
	return found->index != NULL;
}

LLVMValueRef opaque(LLVMBuilderRef b, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v), fn = LLVMFunctionType(type, &type, 1, 0);

	return LLVMBuildCall2(
		b, fn, LLVMGetInlineAsm(fn, "", 0, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0), &v, 1, "");
}

/* ---- bases ---- */

static struct base leaf_base(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef v)
{
	if (is_entry(fn) && v == LLVMGetParam(fn, 1))
		return (struct base){BASE_STATE, v, 0};
	if (is_entry(fn) && v == LLVMGetParam(fn, 0))
		return (struct base){BASE_EVENT, v, 0};
	if (LLVMIsAGlobalVariable(v))
		return (struct base){BASE_OBJECT, v, LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v))};
	if (LLVMIsAAllocaInst(v))
		return (struct base){BASE_OBJECT, v, variable_size(layout, v)};
	return (struct base){0};
}

/*
 * Values, each once; `slot` has where one stands, counted from 1, at the place that its address is hashed to or behind.
 */
struct leaves {
	LLVMValueRef *list;
	int n, most;
	uint16_t slot[2 * MAX_ORIGINS];
};

static bool add_leaf(struct leaves *l, LLVMValueRef v)
{
	size_t i = (size_t)((uintptr_t)v * 0x9e3779b97f4a7c15u >> 20) % (2 * MAX_ORIGINS);

	for (; l->slot[i]; i = (i + 1) % (2 * MAX_ORIGINS))
		if (l->list[l->slot[i] - 1] == v)
			return true;
	if (l->n == l->most)
		return false;
	l->list[l->n++] = v;
	l->slot[i] = (uint16_t)l->n;
	return true;
}

/* What v is chosen from or counted from, one step back. */
static bool step_back(struct leaves *l, LLVMValueRef v)
{
	bool ok = true;

	if (is_gep(v)) {
		ok = add_leaf(l, LLVMGetOperand(v, 0));
	} else if (LLVMIsAPHINode(v)) {
		for (unsigned i = 0; ok && i < LLVMCountIncoming(v); i++)
			ok = add_leaf(l, LLVMGetIncomingValue(v, i));
	} else if (LLVMIsASelectInst(v)) {
		ok = add_leaf(l, LLVMGetOperand(v, 1)) && add_leaf(l, LLVMGetOperand(v, 2));
	} else if (LLVMIsAFreezeInst(v)) {
		ok = add_leaf(l, LLVMGetOperand(v, 0));
	}
	return ok;
}

bool is_leaf(LLVMValueRef v)
{
	return !is_gep(v) && !LLVMIsAPHINode(v) && !LLVMIsASelectInst(v) && !LLVMIsAFreezeInst(v);
}

int origins_of(LLVMValueRef address, LLVMValueRef list[MAX_LEAVES], bool *all)
{
	struct leaves l = {.list = list, .most = MAX_LEAVES};

	*all = add_leaf(&l, address);
	for (int i = 0; i < l.n && *all; i++)
		*all = step_back(&l, list[i]);
	return l.n;
}

int all_origins_of(LLVMValueRef address, LLVMValueRef list[MAX_ORIGINS], bool *all)
{
	struct leaves l = {.list = list, .most = MAX_ORIGINS};

	*all = add_leaf(&l, address);
	for (int i = 0; i < l.n && *all; i++) {
		LLVMValueRef inside[MAX_INSIDE];
		int parts = pointers_inside(list[i], inside);

		*all = step_back(&l, list[i]);
		for (int k = 0; k < parts && *all; k++)
			*all = add_leaf(&l, inside[k]);
	}
	return l.n;
}

bool is_event(const struct base *base)
{
	return base->kind == BASE_EVENT || (base->kind == BASE_LOADED && LLVMIsAArgument(base->value) &&
						   base->value == LLVMGetParam(LLVMGetParamParent(base->value), 0));
}

void widen_event(struct base *base, uint64_t size)
{
	uint64_t end = base->size <= SIZE_arg ? SIZE_arg : SIZE_EVENT;

	if (base->kind == BASE_EVENT && size > WORD)
		base->size = size - WORD > end - base->size ? end : base->size + size - WORD;
}

bool event_has(uint64_t bytes)
{
	return bytes <= SIZE_EVENT;
}

bool is_read_only(const struct base *base)
{
	return is_event(base) ||
	       (base->value && LLVMIsAGlobalVariable(base->value) && LLVMIsGlobalConstant(base->value));
}

const char choice_name[] = "ward.choose";

bool is_loaded(LLVMValueRef v)
{
	LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
	size_t n;

	return LLVMIsALoadInst(v) ||
	       (callee && LLVMIsAFunction(callee) &&
		       strncmp(LLVMGetValueName2(callee, &n), choice_name, strlen(choice_name)) == 0);
}

/* A pointer that may be one of the state's own or a loaded one is checked like a loaded one. */
static bool add_base(struct base found[MAX_BASES], unsigned *n, struct base b)
{
	for (unsigned i = 0; i < *n; i++) {
		if (found[i].value != b.value)
			continue;
		if (b.kind == BASE_LOADED)
			found[i].kind = b.kind;
		return true;
	}
	if (b.kind == BASE_NONE || *n == MAX_BASES)
		return false;
	found[(*n)++] = b;
	return true;
}

/* The state, unless all that is kept are addresses of variables; and those, of other functions' variables less. */
static bool add_loaded(LLVMTargetDataRef layout, LLVMValueRef fn, struct base found[MAX_BASES], unsigned *n)
{
	LLVMValueRef escaped[MAX_BASES];
	unsigned n_escaped = escaped_variables(fn, escaped, MAX_BASES);
	bool ok = n_escaped < MAX_BASES;

	if ((n_escaped == 0 && !event_escapes(LLVMGetGlobalParent(fn))) || state_escapes(LLVMGetGlobalParent(fn)))
		ok = ok && add_base(found, n, (struct base){BASE_LOADED, LLVMGetParam(fn, 1), 0});
	if (event_escapes(LLVMGetGlobalParent(fn)))
		ok = ok && add_base(found, n, (struct base){BASE_LOADED, LLVMGetParam(fn, 0), SIZE_arg});
	for (unsigned i = 0; i < n_escaped && ok; i++) {
		struct base b = leaf_base(layout, fn, escaped[i]);

		b.kind = BASE_LOADED;
		ok = add_base(found, n, b);
	}
	return ok;
}

/*
 * How far into the event an address may lead that was made of these: the arguments are the only array there, so an
 * index is one of an argument, and other fields are meant only where they are named. What a probe reads of the event
 * has to be there at its sites.
 */
static uint64_t reach_of_event(LLVMTargetDataRef layout, LLVMValueRef event, LLVMValueRef *list, int n)
{
	uint64_t reach = WORD;

	for (int i = 0; i < n; i++) {
		int64_t constant;
		uint64_t end = root_of(layout, list[i], &constant) == event && constant >= 0 ? (uint64_t)constant + WORD
											     : SIZE_arg;

		if (end > reach && (is_gep(list[i]) || list[i] == event))
			reach = end;
	}
	return reach;
}

/* NULL, or a number behind it, which the optimiser makes of what is counted from a pointer that may be NULL. */
static bool is_nowhere(LLVMValueRef v)
{
	return LLVMIsAConstantPointerNull(v) || LLVMIsUndef(v) ||
	       (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr &&
		       LLVMIsAConstantInt(LLVMGetOperand(v, 0)));
}

unsigned bases_of(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef address, struct base found[MAX_BASES])
{
	LLVMValueRef list[MAX_ORIGINS];
	bool ok;
	unsigned bases = 0;
	int n = all_origins_of(address, list, &ok);

	for (int i = 0; i < n && ok; i++) {
		LLVMValueRef inside[MAX_INSIDE];
		bool inner = pointers_inside(list[i], inside) > 0;

		if (!is_leaf(list[i]) || is_nowhere(list[i]))
			continue;
		if (is_loaded(list[i]) || is_of_stored_number(LLVMGetGlobalParent(fn), list[i]))
			ok = add_loaded(layout, fn, found, &bases);
		else if (!inner)
			ok = add_base(found, &bases, leaf_base(layout, fn, list[i]));
	}
	for (unsigned b = 0; b < bases; b++)
		if (found[b].kind == BASE_EVENT)
			found[b].size = reach_of_event(layout, found[b].value, list, n);
	return ok ? bases : 0;
}

struct base base_of(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef address)
{
	struct base found[MAX_BASES];

	return bases_of(layout, fn, address, found) == 1 ? found[0] : (struct base){0};
}

bool is_in_state(const struct base *base)
{
	return base->kind == BASE_STATE ||
	       (base->kind == BASE_LOADED && LLVMIsAArgument(base->value) && !is_event(base));
}

uint64_t base_size(const struct base *base, uint64_t state_size)
{
	return is_in_state(base) ? state_size : base->size;
}
