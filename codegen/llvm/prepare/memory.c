/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies, fills, compares and searches of memory.
 *
 * A probe writes them by their names in <string.h>, as __builtin_*, or as an assignment. None of them is a function
 * of the host's. What the target doesn't expand inline is dialect code of ours (forms/), confined like the author's.
 * A size that has no bound is cut off far enough behind the object that its guard stops the access there. So the loop
 * over it has a bound of its own and needs no fuel.
 */
#include "memory.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/points_to.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/ir/diag.h"

enum kind {
	COPY,
	COPY_END,
	MOVE,
	FILL,
	ZERO,
	COMPARE,
	CHR,
	LENGTH,
	LENGTH_MOST,
	ORDER,
	ORDER_MOST,
	FIND,
	FIND_LAST,
	KINDS
};

/* By its result and its parameters: v nothing, p a pointer, i an int, l a size. */
static const struct function {
	const char *name, *type;
	enum kind kind;
} functions[] = {{"memcpy", "pppl", COPY}, {"mempcpy", "pppl", COPY_END}, {"memmove", "pppl", MOVE},
	{"memset", "ppil", FILL}, {"bzero", "vpl", ZERO}, {"memcmp", "ippl", COMPARE}, {"bcmp", "ippl", COMPARE},
	{"memchr", "ppil", CHR}, {"strlen", "lp", LENGTH}, {"strnlen", "lpl", LENGTH_MOST}, {"strcmp", "ipp", ORDER},
	{"strncmp", "ippl", ORDER_MOST}, {"strchr", "ppi", FIND}, {"strrchr", "ppi", FIND_LAST}};

/* The forms' bitcode, by file (mem_runtime.S). */
extern const char ward_forms_copy[], ward_forms_copy_end[], ward_forms_fill[], ward_forms_fill_end[],
	ward_forms_compare[], ward_forms_compare_end[], ward_forms_scan[], ward_forms_scan_end[];
static const struct library {
	const char *start, *end;
	const char *functions[4];
} libraries[] = {{ward_forms_copy, ward_forms_copy_end, {"ward_form_copy", "ward_form_move"}},
	{ward_forms_fill, ward_forms_fill_end, {"ward_form_fill"}},
	{ward_forms_compare, ward_forms_compare_end, {"ward_form_compare"}},
	{ward_forms_scan, ward_forms_scan_end,
		{"ward_form_scan", "ward_form_find", "ward_form_last", "ward_form_order"}}};

/* Behind an object: far enough that no room for several accesses on one check reaches there (guard_address.c). */
enum { BEHIND = 8192 };

struct memory {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	LLVMTargetDataRef layout;
	LLVMTypeRef p, i32, i64;
	uint64_t state_size;
	struct diags *d;
	LLVMValueRef fn, inst;
};

static void memory_start(struct memory *x, LLVMModuleRef m, struct diags *d)
{
	*x = (struct memory){.m = m, .ctx = LLVMGetModuleContext(m), .layout = LLVMGetModuleDataLayout(m), .d = d};
	x->b = LLVMCreateBuilderInContext(x->ctx);
	x->p = LLVMPointerTypeInContext(x->ctx, 0);
	x->i32 = LLVMInt32TypeInContext(x->ctx);
	x->i64 = LLVMInt64TypeInContext(x->ctx);
}

/* ---- by name ---- */

static bool is_type(LLVMTypeRef type, char c)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind: return c == 'v';
	case LLVMPointerTypeKind: return c == 'p';
	case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) == (c == 'i' ? 32 : c == 'l' ? 64 : 0);
	default: return false;
	}
}

static bool has_type(LLVMTypeRef type, const char *wanted)
{
	unsigned n = LLVMCountParamTypes(type);
	LLVMTypeRef params[4];

	if (LLVMIsFunctionVarArg(type) || n != strlen(wanted) - 1 || !is_type(LLVMGetReturnType(type), wanted[0]))
		return false;
	LLVMGetParamTypes(type, params);
	for (unsigned i = 0; i < n; i++)
		if (!is_type(params[i], wanted[i + 1]))
			return false;
	return true;
}

bool is_declared_as(LLVMValueRef fn, const char *name, const char *type)
{
	size_t n;

	return LLVMIsDeclaration(fn) && strcmp(LLVMGetValueName2(fn, &n), name) == 0 &&
	       has_type(LLVMGlobalGetValueType(fn), type);
}

static const struct function *find_function(LLVMValueRef fn)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (is_declared_as(fn, functions[i].name, functions[i].type))
			return &functions[i];
	return NULL;
}

bool is_memory_function(LLVMValueRef fn)
{
	return find_function(fn) != NULL;
}

bool is_memory_writer(LLVMValueRef fn)
{
	const struct function *f = find_function(fn);

	return f && f->kind <= ZERO;
}

static LLVMValueRef pointer_plus(struct memory *x, LLVMValueRef pointer, LLVMValueRef n)
{
	return LLVMBuildGEP2(x->b, LLVMInt8TypeInContext(x->ctx), pointer, &n, 1, "");
}

/* The call becomes an intrinsic, if there is one for it; its result is the destination, or where that ends. */
static void name_call(struct memory *x, enum kind kind)
{
	LLVMValueRef to = LLVMGetOperand(x->inst, 0), second = LLVMGetOperand(x->inst, 1), n, result = to;

	LLVMPositionBuilderBefore(x->b, x->inst);
	n = kind == ZERO ? second : LLVMGetOperand(x->inst, 2);
	if (kind == MOVE)
		LLVMBuildMemMove(x->b, to, 1, second, 1, n);
	else if (kind == COPY || kind == COPY_END)
		LLVMBuildMemCpy(x->b, to, 1, second, 1, n);
	else
		LLVMBuildMemSet(x->b, to,
			LLVMBuildTrunc(
				x->b, kind == ZERO ? LLVMConstNull(x->i32) : second, LLVMInt8TypeInContext(x->ctx), ""),
			n, 1);
	if (kind == COPY_END)
		result = pointer_plus(x, to, n);
	if (kind != ZERO)
		LLVMReplaceAllUsesWith(x->inst, result);
	LLVMInstructionEraseFromParent(x->inst);
}

static void attribute_add(LLVMValueRef fn, const char *attribute, uint64_t value)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, kind, value));
}

/* It reads what its arguments point to, and does nothing else. */
static void function_describe(LLVMValueRef fn)
{
	/* two bits each: what is done to the arguments' memory, to the host's, and to all other; 1 is to read */
	enum { READS_ARGUMENTS = 1 };

	attribute_add(fn, "memory", READS_ARGUMENTS);
	attribute_add(fn, "nounwind", 0);
	attribute_add(fn, "willreturn", 0);
	attribute_add(fn, "nosync", 0);
	attribute_add(fn, "nofree", 0);
}

void name_memory(LLVMModuleRef m)
{
	LLVMValueRef fn, next_fn;
	struct memory x;

	memory_start(&x, m, NULL);
	for (fn = LLVMGetFirstFunction(m); fn; fn = next_fn) {
		const struct function *f = find_function(fn);
		LLVMUseRef use = f ? LLVMGetFirstUse(fn) : NULL, next;

		next_fn = LLVMGetNextFunction(fn);
		if (f && f->kind > ZERO)
			function_describe(fn);
		for (; use && f->kind <= ZERO; use = next) {
			next = LLVMGetNextUse(use);
			x.inst = LLVMGetUser(use);
			if (LLVMIsACallInst(x.inst) && LLVMGetCalledValue(x.inst) == fn)
				name_call(&x, f->kind);
		}
	}
	LLVMDisposeBuilder(x.b);
}

/* ---- sizes ---- */

/* The most bytes that there may be at an address; UINT64_MAX if that isn't known. */
static uint64_t most_at(const struct memory *x, LLVMValueRef address)
{
	struct base found[MAX_BASES];
	unsigned n = is_entry(x->fn) ? bases_of(x->layout, x->fn, address, found) : 0;
	uint64_t most = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t size;

		widen_event(&found[i], UINT64_MAX);
		size = base_size(&found[i], x->state_size);

		if (size == 0)
			return UINT64_MAX;
		most = size > most ? size : most;
	}
	return n ? most : UINT64_MAX;
}

static LLVMValueRef at_most(struct memory *x, LLVMValueRef n, LLVMValueRef most)
{
	return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntUGT, n, most, ""), most, n, "");
}

/* Behind the end of the smaller of one or two objects. */
static LLVMValueRef end_for(struct memory *x, LLVMValueRef a, LLVMValueRef b)
{
	uint64_t most = most_at(x, a), other = b ? most_at(x, b) : UINT64_MAX;

	most = other < most ? other : most;
	return LLVMConstInt(x->i64, most > UINT64_MAX - BEHIND ? UINT64_MAX : most + BEHIND, 0);
}

/* All n bytes of one or two objects are meant: do they have as many? */
static LLVMValueRef size_for(struct memory *x, LLVMValueRef n, LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef end = end_for(x, a, b);

	if (!LLVMIsAConstantInt(n))
		return at_most(x, n, end);
	if (LLVMConstIntGetZExtValue(n) > LLVMConstIntGetZExtValue(end) - BEHIND)
		diag_add(x->d, place_of_instruction(x->inst),
			"at most sizeof of the object can be reached; sizes are in bytes",
			"%llu bytes of an object that has %llu", (unsigned long long)LLVMConstIntGetZExtValue(n),
			(unsigned long long)(LLVMConstIntGetZExtValue(end) - BEHIND));
	return n;
}

/* The bytes from an address on to the first that is zero, and that one, if the address is a constant string's; or 0. */
static uint64_t constant_string(const struct memory *x, LLVMValueRef address)
{
	int64_t at;
	LLVMValueRef g = root_of(x->layout, address, &at),
		     v = LLVMIsAGlobalVariable(g) && LLVMIsGlobalConstant(g) ? LLVMGetInitializer(g) : NULL;
	const char *s, *end;
	size_t n = 0;

	if (!v || !LLVMIsAConstantDataSequential(v) || !LLVMIsConstantString(v))
		return 0;
	s = LLVMGetAsString(v, &n);
	end = at >= 0 && (uint64_t)at < n ? memchr(s + at, 0, n - (size_t)at) : NULL;
	return end ? (uint64_t)(end + 1 - (s + at)) : 0;
}

/* Strings end there at the latest. */
static LLVMValueRef end_of_strings(struct memory *x, LLVMValueRef a, LLVMValueRef b)
{
	uint64_t n = constant_string(x, a), m = b ? constant_string(x, b) : 0;

	n = n && m ? (n < m ? n : m) : n + m;
	return n ? LLVMConstInt(x->i64, n, 0) : end_for(x, a, b);
}

/*
 * How many bytes there surely are from an address on, where that can be said: none of an object that a pointer doesn't
 * lead into, as one that was loaded may lead into another.
 */
static LLVMValueRef room_at(struct memory *x, LLVMValueRef address)
{
	struct base base = is_entry(x->fn) ? base_of(x->layout, x->fn, address) : (struct base){0};
	LLVMValueRef all, left;
	uint64_t size;

	widen_event(&base, UINT64_MAX);
	size = base.kind == BASE_NONE ? 0 : base_size(&base, x->state_size);
	all = LLVMConstInt(x->i64, size, 0);
	if (!size)
		return all;
	left = LLVMBuildSub(x->b, all, build_offset(x->b, x->layout, address, base.value), "");
	return LLVMBuildSelect(
		x->b, LLVMBuildICmp(x->b, LLVMIntUGT, left, all, ""), LLVMConstInt(x->i64, 0, 0), left, "");
}

/* ---- calls of forms ---- */

static LLVMValueRef call_form(struct memory *x, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
	LLVMTypeRef params[4], type;
	LLVMValueRef fn = LLVMGetNamedFunction(x->m, name);

	for (unsigned i = 0; i < n; i++)
		params[i] = LLVMTypeOf(args[i]);
	type = LLVMFunctionType(result, params, n, 0);
	if (!fn)
		fn = LLVMAddFunction(x->m, name, type);
	return LLVMBuildCall2(x->b, type, fn, args, n, "");
}

static LLVMValueRef call_compare(struct memory *x, const char *form, LLVMValueRef a, LLVMValueRef b, LLVMValueRef n)
{
	LLVMValueRef args[] = {a, b, n};

	return call_form(x, form, x->i32, args, 3);
}

static LLVMValueRef call_scan(struct memory *x, LLVMValueRef s, LLVMValueRef byte, LLVMValueRef n)
{
	LLVMValueRef args[] = {s, byte, n, room_at(x, s)};

	return call_form(x, "ward_form_scan", x->i64, args, 4);
}

/* A pointer to byte i; a null pointer if that is n. */
static LLVMValueRef found_at(struct memory *x, LLVMValueRef s, LLVMValueRef i, LLVMValueRef n)
{
	return LLVMBuildSelect(
		x->b, LLVMBuildICmp(x->b, LLVMIntEQ, i, n, ""), LLVMConstNull(x->p), pointer_plus(x, s, i), "");
}

static LLVMValueRef call_function(struct memory *x, enum kind kind)
{
	LLVMValueRef a = LLVMGetOperand(x->inst, 0), b = LLVMGetOperand(x->inst, 1), zero = LLVMConstNull(x->i32), n;

	switch (kind) {
	case COMPARE: return call_compare(x, "ward_form_compare", a, b, size_for(x, LLVMGetOperand(x->inst, 2), a, b));
	case ORDER: return call_compare(x, "ward_form_order", a, b, end_of_strings(x, a, b));
	case ORDER_MOST:
		return call_compare(
			x, "ward_form_order", a, b, at_most(x, LLVMGetOperand(x->inst, 2), end_of_strings(x, a, b)));
	case LENGTH: return call_scan(x, a, zero, end_of_strings(x, a, NULL));
	case LENGTH_MOST: return call_scan(x, a, zero, at_most(x, b, end_of_strings(x, a, NULL)));
	case CHR:
		n = at_most(x, LLVMGetOperand(x->inst, 2), end_for(x, a, NULL));
		return found_at(x, a, call_scan(x, a, b, n), n);
	default: {
		LLVMValueRef args[] = {a, b, end_of_strings(x, a, NULL)};

		return found_at(x, a, call_form(x, kind == FIND ? "ward_form_find" : "ward_form_last", x->i64, args, 3),
			args[2]);
	}
	}
}

bool is_in_line(LLVMValueRef inst, bool overlaps)
{
	enum { MAX_COPY = 1024, MAX_STACK = 4096, REGISTERS = 8, WORD = 8 };
	LLVMTargetDataRef layout =
		LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst))));
	LLVMValueRef size = LLVMGetOperand(inst, 2);
	uint64_t n = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : UINT64_MAX;
	int64_t at;

	if (overlaps)
		return n < UINT64_MAX && n / WORD + (unsigned)__builtin_popcount(n % WORD) <= REGISTERS;
	return n <= MAX_COPY || (n <= MAX_STACK && LLVMIsAAllocaInst(root_of(layout, LLVMGetOperand(inst, 0), &at)));
}

/* A copy or a fill that isn't expanded in line. Returns false if this one is. */
static bool call_intrinsic(struct memory *x, const char *name)
{
	bool fill = strncmp(name, "llvm.memset.", 12) == 0, move = strncmp(name, "llvm.memmove.", 13) == 0;
	LLVMValueRef args[3];

	if ((!fill && !move && strncmp(name, "llvm.memcpy.", 12) != 0) || strncmp(name + 12, "inline", 6) == 0)
		return false;
	for (unsigned i = 0; i < 3; i++)
		args[i] = LLVMGetOperand(x->inst, i);
	if (is_in_line(x->inst, move))
		return false;
	args[2] = size_for(x, args[2], args[0], fill ? NULL : args[1]);
	if (fill)
		args[1] = LLVMBuildZExt(x->b, args[1], x->i32, "");
	call_form(x,
		fill   ? "ward_form_fill"
		: move ? "ward_form_move"
		       : "ward_form_copy",
		LLVMVoidTypeInContext(x->ctx), args, 3);
	return true;
}

/* Returns whether the instruction has become a call of a form. */
static bool lower_call(struct memory *x)
{
	LLVMValueRef callee = LLVMIsACallInst(x->inst) ? LLVMGetCalledValue(x->inst) : NULL;
	const struct function *f;
	size_t n;

	if (!callee || !LLVMIsAFunction(callee))
		return false;
	LLVMPositionBuilderBefore(x->b, x->inst);
	f = find_function(callee);
	if (f)
		LLVMReplaceAllUsesWith(x->inst, call_function(x, f->kind));
	else if (!LLVMGetIntrinsicID(callee) || !call_intrinsic(x, LLVMGetValueName2(callee, &n)))
		return false;
	LLVMInstructionEraseFromParent(x->inst);
	return true;
}

/* ---- the forms themselves ---- */

static bool is_called(LLVMModuleRef m, const struct library *l)
{
	for (size_t i = 0; i < sizeof(l->functions) / sizeof(l->functions[0]) && l->functions[i]; i++) {
		LLVMValueRef fn = LLVMGetNamedFunction(m, l->functions[i]);

		if (fn && LLVMIsDeclaration(fn))
			return true;
	}
	return false;
}

bool link_bitcode(LLVMModuleRef m, const char *start, const char *end, const char *name)
{
	LLVMMemoryBufferRef bitcode = LLVMCreateMemoryBufferWithMemoryRange(start, (size_t)(end - start), name, 0);
	LLVMModuleRef forms = NULL;
	bool ok = LLVMParseBitcodeInContext2(LLVMGetModuleContext(m), bitcode, &forms) == 0;

	LLVMDisposeMemoryBuffer(bitcode);
	ok = ok && LLVMLinkModules2(m, forms) == 0; /* which disposes of it */
	if (!ok)
		fprintf(stderr, "ward: code generation: %s can't be linked\n", name);
	return ok;
}

int lower_memory(LLVMModuleRef m, struct diags *d)
{
	LLVMBasicBlockRef block;
	LLVMValueRef next;
	struct memory x;
	int found = 0;

	memory_start(&x, m, d);
	note_escapes(m);
	x.state_size = state_size_of(m);
	for (x.fn = LLVMGetFirstFunction(m); x.fn; x.fn = LLVMGetNextFunction(x.fn))
		for (block = LLVMGetFirstBasicBlock(x.fn); block; block = LLVMGetNextBasicBlock(block))
			for (x.inst = LLVMGetFirstInstruction(block); x.inst; x.inst = next) {
				next = LLVMGetNextInstruction(x.inst);
				found += lower_call(&x);
			}
	LLVMDisposeBuilder(x.b);
	if (found)
		widen_small(m);
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (is_called(m, &libraries[i]) &&
			!link_bitcode(m, libraries[i].start, libraries[i].end, libraries[i].functions[0]))
			return -1;
	return found;
}
