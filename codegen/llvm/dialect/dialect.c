/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dialect: what a probe may contain, checked on clang's unoptimised output, where every instruction still has its
 * place in the source. One run finds everything.
 *
 * This serves the author. It is no safety check: the verifier judges the machine code, whatever is missed here.
 */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#include "codegen/link/advice.h"
#include "codegen/llvm/prepare/memory.h"
#include "codegen/llvm/prepare/ctype.h"
#include "codegen/llvm/ir/probe.h"
#include "dialect.h"
#include "codegen/llvm/prepare/prepare.h"
#include "codegen/base/site.h"
#include "ward/verify.h"

static const char by_name[] = "a value can only be a function of the probe's own files, and no probe function";
const char update_hint[] = "add, subtract, exchange, or compare and exchange; and, or, xor whose result isn't used";
static const char no_labels[] = "there is no computed goto: use switch";
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) " " name
static const char own_file[] = "a probe can only use what is in its own files (give all of them to ward cc) and the "
			       "dialect's headers, and of ward/imports.h"
#include "ward/import.def"
	;
#undef IMPORT

enum { MAX_STATE = 1 << 28 }; /* the linker's */

struct check {
	struct diags *d;
	LLVMValueRef inst; /* the one looked at */
	bool kernel;
};

static void check_refuse(const struct check *c, const char *hint, const char *text)
{
	diag_add(c->d, place_of_instruction(c->inst), hint, "%s", text);
}

static const char *name_of(LLVMValueRef v)
{
	size_t n;

	return LLVMGetValueName2(v, &n);
}

/* --- functions that don't exist here --- */

static void refuse_external(const struct check *c, LLVMValueRef what)
{
	const char *name = name_of(what), *hint = LLVMIsAFunction(what) ? cg_advice(name) : NULL,
		   *spoken = LLVMIsAFunction(what) ? cg_spoken(name) : NULL;

	diag_add(c->d, place_of_instruction(c->inst), hint ? hint : own_file, "unknown external '%s'%s%s%s", name,
		spoken ? " (" : "", spoken ? spoken : "", spoken ? ")" : "");
}

/* An import of the other profile. */
static void check_import(const struct check *c, const char *name)
{
	enum { USER = 1 << WARD_PROFILE_USER, KERNEL = 1 << WARD_PROFILE_KERNEL };
	static const struct {
		const char *name;
		unsigned profiles;
	} imports[] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) {name, profiles},
#include "ward/import.def"
#undef IMPORT
	};
	const char *hint = !c->kernel ? "ward_read, ward_read_str and ward_match read a process's memory; or compile "
					"for the kernel: ward cc --profile kernel, ward trace --kernel"
			   : strcmp(name, "ward_clock") == 0
				   ? "ev->time is the time stamp counter, ev->elapsed what passed since the entry"
				   : "ward_kernel_read, ward_kernel_read_str, and WARD_GET of <ward/kernel.h> read the "
				     "kernel's memory, and the running process's";

	for (size_t i = 0; i < sizeof(imports) / sizeof(imports[0]); i++)
		if (strcmp(imports[i].name, name) == 0 && !(imports[i].profiles & (c->kernel ? KERNEL : USER)))
			diag_add(c->d, place_of_instruction(c->inst), hint, "'%s' is not for %s", name,
				c->kernel ? "probes in the kernel" : "probes in processes");
}

static bool is_unknown(LLVMValueRef callee)
{
	return LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && !is_import(callee) &&
	       !is_memory_function(callee) && !is_ctype_function(callee) && !is_stop(callee) &&
	       !is_shared_place(callee);
}

/*
 * A function that a header of the system's has a body for, as stdlib.h has for atoi, is as unknown as what it calls.
 * The author wrote its name, and not what is in it: there it is refused.
 */
static bool is_unknown_inline(LLVMValueRef fn, int depth)
{
	struct place at;

	if (!LLVMIsAFunction(fn) || LLVMIsDeclaration(fn) || LLVMGetLinkage(fn) != LLVMAvailableExternallyLinkage ||
		depth > 8)
		return false;
	at = place_of_function(fn);
	if (strncmp(at.where, "/usr/", 5) != 0)
		return false;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
			LLVMValueRef callee =
				LLVMGetInstructionOpcode(inst) == LLVMCall ? LLVMGetCalledValue(inst) : NULL;

			if (callee && LLVMIsAFunction(callee) &&
				(is_unknown(callee) || is_unknown_inline(callee, depth + 1)))
				return true;
		}
	return false;
}

/* What a local variable holds that is set once, or NULL: nothing else is done with it than that it is read. */
static LLVMValueRef only_value(LLVMValueRef variable)
{
	LLVMValueRef value = NULL;

	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsALoadInst(user) || LLVMIsAIntrinsicInst(user)) /* of its lifetime */
			continue;
		if (!LLVMIsAStoreInst(user) || value || LLVMGetOperand(user, 0) == variable)
			return NULL;
		value = LLVMGetOperand(user, 0);
	}
	return value;
}

static LLVMValueRef without_offset(LLVMValueRef address)
{
	while (LLVMIsAGetElementPtrInst(address) ||
		(LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
		address = LLVMGetOperand(address, 0);
	return address;
}

/* A write to a variable that is named, or that a pointer is set to once, and that is const. */
static void check_written(const struct check *c, LLVMValueRef address)
{
	char name[256];

	address = without_offset(address);
	if (LLVMIsALoadInst(address) && LLVMIsAAllocaInst(LLVMGetOperand(address, 0))) {
		LLVMValueRef value = only_value(LLVMGetOperand(address, 0));

		address = value ? without_offset(value) : address;
	}
	if (!LLVMIsAGlobalVariable(address) || !LLVMIsGlobalConstant(address))
		return;
	if (strncmp(name_of(address), ".str", 4) == 0)
		check_refuse(c, "copy it into an array, char text[] = \"...\", or keep what changes in the state",
			"a write to a string of the source, which is const");
	else
		diag_add(c->d, place_of_instruction(c->inst), "leave out the const, or keep what changes in the state",
			"a write to '%s', which is const", name_in_source(address, name, sizeof(name)));
}

/* A write to what threads share (ward/shared.h), by its name, that another thread's write may undo. */
static void check_plainly_written(const struct check *c, LLVMValueRef address)
{
	bool here;

	address = without_offset(address);
	here = LLVMIsACallInst(address)
		       ? LLVMIsAFunction(LLVMGetCalledValue(address)) && is_shared_place(LLVMGetCalledValue(address))
		       : LLVMIsAGlobalVariable(address) && strcmp(name_of(address), "ward_shared") == 0;
	if (here)
		check_refuse(c,
			"count in a ward_shared_count, keep values in a WARD_SHARED_MAP, or what is each thread's own "
			"in the "
			"state",
			"a write to what threads share that isn't atomic");
}

/* --- builtins --- */

/* Intrinsics that come to instructions of the table; a prefix, or a whole name. */
static const char *const intrinsics[] = {"llvm.dbg.", "llvm.lifetime.", "llvm.memcpy.", "llvm.memmove.", "llvm.memset.",
	"llvm.ctlz.", "llvm.cttz.", "llvm.ctpop.", "llvm.bswap.", "llvm.bitreverse.", "llvm.fshl.", "llvm.fshr.",
	"llvm.expect.", "llvm.assume", "llvm.abs.", "llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.",
	"llvm.sadd.", "llvm.uadd.", "llvm.ssub.", "llvm.usub.", "llvm.smul.with.overflow.", "llvm.umul.with.overflow.",
	"llvm.objectsize.", "llvm.is.constant.", "llvm.annotation.", "llvm.ptr.annotation.", "llvm.var.annotation",
	"llvm.donothing", "llvm.ucmp.", "llvm.scmp.", "llvm.launder.", "llvm.experimental.noalias.scope.decl",
	"llvm.sideeffect"};

static const struct {
	const char *name, *hint; /* a trailing * stands for anything */
} builtins[] = {
	{"llvm.va_*", NULL},         /* the function's definition is refused already */
	{"llvm.stack*", NULL},       /* so is the array */
	{"llvm.threadlocal*", NULL}, /* so is the variable */
	{"llvm.eh.sjlj*", "leave with return; there is no setjmp in a probe"},
	{"llvm.trap*", "return instead: a probe can't stop its target"},
	{"llvm.debugtrap*", "return instead: a probe can't stop its target"},
	{"llvm.ubsantrap*", "return instead: a probe can't stop its target"},
	{"llvm.readcyclecounter*", "ev->time is the time stamp counter"},
	{"llvm.x86.rdtsc*", "ev->time is the time stamp counter"},
	{"llvm.returnaddress*", "ev->caller is the address that the traced function returns to"},
	{"llvm.prefetch*", "leave it out"},
};

static bool is_floating(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);

	return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind || kind == LLVMFloatTypeKind ||
	       kind == LLVMDoubleTypeKind || kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind;
}

static void check_intrinsic(const struct check *c, LLVMValueRef fn)
{
	const char *name = name_of(fn), *hint = "no instruction that a probe may use does this: write it in plain C";
	size_t i;

	for (i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++)
		if (strncmp(name, intrinsics[i], strlen(intrinsics[i])) == 0)
			break;
	if (i < sizeof(intrinsics) / sizeof(intrinsics[0])) {
		if (strncmp(name, "llvm.mem", 8) == 0)
			check_written(c, LLVMGetOperand(c->inst, 0));
		return;
	}
	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (cg_fits(builtins[i].name, name)) {
			hint = builtins[i].hint;
			break;
		}
	if (hint && !is_floating(LLVMTypeOf(c->inst))) /* of that the type tells */
		diag_add(c->d, place_of_instruction(c->inst), hint, "the compiler's builtin '%s' is not available",
			name);
}

static void check_call(const struct check *c)
{
	LLVMValueRef callee = LLVMGetCalledValue(c->inst);

	if (LLVMIsAInlineAsm(callee))
		check_refuse(c, "write it in C; __atomic_signal_fence(__ATOMIC_SEQ_CST) orders the compiler's accesses",
			"inline assembly");
	else if (!LLVMIsAFunction(callee))
		return; /* number_functions looks after it */
	else if (LLVMGetIntrinsicID(callee))
		check_intrinsic(c, callee);
	else if (is_unknown(callee) || is_unknown_inline(callee, 0))
		refuse_external(c, callee);
	else if (is_import(callee))
		check_import(c, name_of(callee));
}

/* --- types --- */

static void check_type(const struct check *c, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
	case LLVMPPC_FP128TypeKind: check_refuse(c, cg_no_floating, "floating point"); break;
	case LLVMVectorTypeKind:
	case LLVMScalableVectorTypeKind:
	case LLVMX86_MMXTypeKind:
	case LLVMX86_AMXTypeKind: check_refuse(c, "write a loop over the elements", "a vector type"); break;
	case LLVMIntegerTypeKind:
		if (LLVMGetIntTypeWidth(type) > 128)
			check_refuse(c, "split it into words of 64 bits", "an integer wider than 128 bits");
		break;
	case LLVMPointerTypeKind:
		if (LLVMGetPointerAddressSpace(type) != 0)
			check_refuse(
				c, "a probe can't reach the target's segments", "a pointer into another address space");
		break;
	default: break;
	}
}

/* --- operands: functions and variables named by them --- */

/* Constants nest (an address inside a struct inside an array); eight levels are more than C gives an instruction. */
static void check_constant(const struct check *c, LLVMValueRef v, int depth)
{
	char name[256];
	int i, n;

	if (LLVMIsAFunction(v) && can_be_value(v)) {
		return;
	} else if (LLVMIsAFunction(v)) {
		diag_add(c->d, place_of_instruction(c->inst), by_name, "the address of function '%s' is taken",
			name_in_source(v, name, sizeof(name)));
	} else if (LLVMIsABlockAddress(v)) {
		check_refuse(c, no_labels, "the address of a label is taken");
	} else if (LLVMIsAGlobalVariable(v)) {
		if (LLVMIsDeclaration(v))
			refuse_external(c, v);
	} else if (LLVMIsAConstantExpr(v) && depth < 8) {
		n = LLVMGetNumOperands(v);
		for (i = 0; i < n; i++)
			check_constant(c, LLVMGetOperand(v, (unsigned)i), depth + 1);
	}
}

static void check_operands(const struct check *c)
{
	int n = LLVMGetNumOperands(c->inst), i;
	LLVMValueRef callee = LLVMGetInstructionOpcode(c->inst) == LLVMCall ? LLVMGetCalledValue(c->inst) : NULL;
	bool unknown = callee && LLVMIsAFunction(callee) && is_unknown(callee);

	for (i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(c->inst, (unsigned)i);

		if (v == callee && i == n - 1)
			continue;
		if (unknown && LLVMIsAFunction(v)) /* what is passed to a function that isn't there */
			continue;
		if (LLVMIsConstant(v))
			check_constant(c, v, 0);
		if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMMetadataTypeKind)
			check_type(c, LLVMTypeOf(v));
	}
}

/* --- instructions --- */

static void check_division(const struct check *c)
{
	LLVMTypeRef type = LLVMTypeOf(c->inst);

	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64)
		check_refuse(c, "divide 64 bits, or shift", "a division of more than 64 bits");
}

/*
 * Is there one instruction for it? For others LLVM makes a loop without a bound; so it does for and, or, xor whose
 * result is used, which is seen later (escape.c).
 */
static bool is_one_update(LLVMValueRef inst)
{
	if (LLVMIsAAtomicCmpXchgInst(inst))
		return true;
	switch (LLVMGetAtomicRMWBinOp(inst)) {
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpSub:
	case LLVMAtomicRMWBinOpXchg:
	case LLVMAtomicRMWBinOpAnd:
	case LLVMAtomicRMWBinOpOr:
	case LLVMAtomicRMWBinOpXor: return true;
	default: return false;
	}
}

static void check_update(const struct check *c)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(c->inst, 1));

	check_written(c, LLVMGetOperand(c->inst, 0));
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)
		check_refuse(c, "change an integer of at most 64 bits", "an atomic update of more than 64 bits");
	else if (!is_one_update(c->inst))
		check_refuse(c, update_hint, "an atomic update for which there is no instruction");
}

static void check_opcode(const struct check *c)
{
	switch (LLVMGetInstructionOpcode(c->inst)) {
	case LLVMCall: check_call(c); break;
	case LLVMAlloca:
		if (!LLVMIsConstant(LLVMGetOperand(c->inst, 0)))
			check_refuse(c, "give it a constant size and check the index",
				"an array or alloca whose size is not constant");
		break;
	case LLVMCallBr: check_refuse(c, "write it in C", "inline assembly"); break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: check_update(c); break;
	case LLVMFence:
		if (!LLVMIsAtomicSingleThread(c->inst) &&
			LLVMGetOrdering(c->inst) == LLVMAtomicOrderingSequentiallyConsistent)
			check_refuse(c, "use __ATOMIC_RELEASE or __ATOMIC_ACQUIRE, or __atomic_signal_fence",
				"a full memory fence");
		break;
	case LLVMStore:
		check_written(c, LLVMGetOperand(c->inst, 1));
		if (LLVMGetOrdering(c->inst) == LLVMAtomicOrderingNotAtomic)
			check_plainly_written(c, LLVMGetOperand(c->inst, 1));
		break;
	case LLVMUDiv:
	case LLVMURem:
	case LLVMSDiv:
	case LLVMSRem: check_division(c); break;
	default: break;
	}
}

static void check_body(LLVMValueRef fn, bool kernel, struct diags *d)
{
	struct check c = {d, NULL, kernel};
	LLVMBasicBlockRef block;

	for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (c.inst = LLVMGetFirstInstruction(block); c.inst; c.inst = LLVMGetNextInstruction(c.inst)) {
			check_opcode(&c);
			if (LLVMIsADbgInfoIntrinsic(c.inst))
				continue;
			check_type(&c, LLVMTypeOf(c.inst));
			check_operands(&c);
		}
}

/* --- functions and globals as a whole --- */

/* The first probe function, which the state is a parameter of. */
static struct place place_of_state(LLVMModuleRef m)
{
	LLVMValueRef fn = LLVMGetFirstFunction(m);

	while (LLVMIsDeclaration(fn) || !is_entry(fn))
		fn = LLVMGetNextFunction(fn);
	return place_of_function(fn);
}

static void check_site(LLVMValueRef fn, struct diags *d)
{
	const char *site = LLVMGetSection(fn) + strlen("ward!");
	char name[256];
	uint32_t kind;

	if (!cg_site_kind(site, &kind))
		diag_add(d, place_of_function(fn), cg_site_hint, "the site '%.100s' of '%s' is not understood", site,
			name_in_source(fn, name, sizeof(name)));
}

static void check_function(LLVMValueRef fn, bool kernel, struct diags *d)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(fn);
	char name[256];

	if (LLVMIsFunctionVarArg(type))
		diag_add(d, place_of_function(fn), "pass an array and its length",
			"'%s' takes a variable number of arguments", name_in_source(fn, name, sizeof(name)));
	if (is_entry(fn))
		check_site(fn, d);
	if (is_entry(fn) && !LLVMGetSubprogram(fn))
		diag_add(d, place_of_function(fn),
			"leave out nodebug: guards and messages need to know the lines, and readers the state",
			"'%s' has no debug information", name_in_source(fn, name, sizeof(name)));
	if (is_entry(fn) && !has_entry_type(fn))
		diag_add(d, place_of_function(fn),
			"a probe function is: void name(const struct ward_event *ev, struct YOUR_STATE *st)",
			"'%s' does not have the type of a probe function", name_in_source(fn, name, sizeof(name)));
	if (!is_unknown_inline(fn, 0))
		check_body(fn, kernel, d);
}

/* The functions that are to run before all others, or after. */
static void check_constructors(LLVMValueRef g, struct diags *d)
{
	LLVMValueRef list = LLVMGetInitializer(g), fn;
	int n = list && LLVMIsAConstantArray(list) ? LLVMGetNumOperands(list) : 0;
	char name[256];

	for (int i = 0; i < n; i++) {
		fn = LLVMGetOperand(LLVMGetOperand(list, (unsigned)i), 1);
		if (LLVMIsAFunction(fn))
			diag_add(d, place_of_function(fn),
				"nothing runs but probe functions: the state starts zeroed; give a global a constant "
				"initialiser",
				"'%s' is a constructor or destructor", name_in_source(fn, name, sizeof(name)));
	}
}

/* A module is never relocated. Constants that hold addresses of constants are rewritten (constants.c). */
static void check_addresses(LLVMValueRef g, const char *own, struct diags *d)
{
	LLVMValueRef of = LLVMGetInitializer(g) ? address_in(LLVMGetInitializer(g), is_constant, 0) : NULL;
	char name[256];

	if (of && LLVMIsABlockAddress(of))
		diag_add(d, place_of_global(g), no_labels, "the initialiser of '%s' holds the address of a label", own);
	else if (of && LLVMIsAFunction(of))
		diag_add(d, place_of_global(g), by_name, "the initialiser of '%s' holds the address of function '%s'",
			own, name_in_source(of, name, sizeof(name)));
	else if (of)
		diag_add(d, place_of_global(g),
			"a constant can hold only addresses of constants: keep an index instead of a pointer",
			"the initialiser of '%s' holds the address of '%s', which is no constant", own,
			name_in_source(of, name, sizeof(name)));
	else if (LLVMGetInitializer(g) && !is_constant(g) && address_in(LLVMGetInitializer(g), NULL, 0))
		diag_add(d, place_of_global(g),
			"only what is never written can hold addresses, and is best declared so: 'static const char "
			"*const names[]'; keep an index where the choice changes",
			"the initialiser of '%s' holds an address", own);
}

static void check_global(LLVMValueRef g, struct diags *d)
{
	const char *name = name_of(g), *section = LLVMGetSection(g), *own;
	char buf[256];

	if (strcmp(name, "llvm.global_ctors") == 0 || strcmp(name, "llvm.global_dtors") == 0) {
		check_constructors(g, d);
		return;
	}
	if (LLVMIsDeclaration(g) || (section && strcmp(section, "llvm.metadata") == 0))
		return;
	own = name_in_source(g, buf, sizeof(buf));
	if (section && strncmp(section, "ward!", 5) == 0)
		diag_add(d, place_of_global(g), "WARD_ENTRY stands before a function",
			"the variable '%s' is marked as a probe", own);
	if (LLVMIsThreadLocal(g))
		diag_add(d, place_of_global(g), "the state is each thread's own already: put it there",
			"'%s' is thread-local", own);
}

void check_initialisers(LLVMModuleRef m, struct diags *d)
{
	char name[256];

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage)
			check_addresses(g, name_in_source(g, name, sizeof(name)), d);
}

void check_dialect(LLVMModuleRef m, bool kernel, struct diags *d)
{
	LLVMValueRef fn, g;
	size_t n = 0, entries = 0;

	LLVMGetModuleInlineAsm(m, &n);
	if (n)
		diag_add(d, place_of_module(m), "write it in C", "assembly outside of functions");
	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		if (LLVMIsDeclaration(fn))
			continue;
		entries += is_entry(fn);
		check_function(fn, kernel, d);
	}
	for (g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		check_global(g, d);
	if (state_size_of(m) > MAX_STATE)
		diag_add(d, place_of_state(m), "each thread has one: make arrays and maps in it smaller",
			"the state has %llu bytes; at most %llu", (unsigned long long)state_size_of(m),
			(unsigned long long)MAX_STATE);
	if (entries == 0)
		diag_add(d, place_of_module(m),
			"write WARD_ENTRY(\"MODULE!FUNCTION\") before the function that is to run there",
			"no probe function in this file");
}
