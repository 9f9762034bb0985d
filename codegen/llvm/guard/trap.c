/* SPDX-License-Identifier: Apache-2.0 */
#include "trap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/probe.h"

enum { COUNTER = 8 };

int trap_at(struct traps *t, struct place at, const char *what)
{
	char name[PATH_MAX];

	stable_name(&at, name);
	for (int i = 0; i < t->n; i++)
		if (t->list[i].line == at.line && strcmp(t->list[i].what, what) == 0 &&
			strcmp(t->list[i].file, name) == 0)
			return i;
	return trap_add(t, name, at.line, what);
}

int trap_add(struct traps *t, const char *file, unsigned line, const char *what)
{
	struct trap *list;

	list = realloc(t->list, (size_t)(t->n + 1) * sizeof(*list));
	if (!list)
		return -1;
	t->list = list;
	list[t->n] = (struct trap){.file = strdup(file), .line = line, .what = what};
	return list[t->n].file ? t->n++ : -1;
}

void traps_free(struct traps *t)
{
	for (int i = 0; i < t->n; i++)
		free(t->list[i].file);
	free(t->list);
	*t = (struct traps){0};
}

LLVMValueRef trap_function(LLVMModuleRef m)
{
	static const char *const attributes[] = {"noreturn", "nounwind", "cold"};
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef number = LLVMInt32TypeInContext(ctx);
	LLVMValueRef fn = LLVMGetNamedFunction(m, trap_name);

	if (fn)
		return fn;
	fn = LLVMAddFunction(m, trap_name, LLVMFunctionType(LLVMVoidTypeInContext(ctx), &number, 1, 0));
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));

		LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, kind, 0));
	}
	return fn;
}

static void set_weights(LLVMValueRef branch, unsigned first, unsigned second)
{
	LLVMContextRef ctx =
		LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(branch))));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(ctx);
	LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(ctx, "branch_weights", 14),
		LLVMValueAsMetadata(LLVMConstInt(i32, first, 0)), LLVMValueAsMetadata(LLVMConstInt(i32, second, 0))};

	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "prof", 4),
		LLVMMetadataAsValue(ctx, LLVMMDNodeInContext2(ctx, parts, 3)));
}

void mark_unlikely(LLVMValueRef branch)
{
	set_weights(branch, 1, 1 << 20);
}

void mark_some(LLVMValueRef branch)
{
	set_weights(branch, 1, 31); /* as LLVM takes it of any loop */
}

static uint64_t counters_at(const struct traps *t, uint64_t state_size)
{
	return ((state_size + 7) & -(uint64_t)8) + ((t->room + 7) & -(uint64_t)8);
}

/* A block in which runs of a function end that are stopped: it counts the trap of that number. */
static LLVMBasicBlockRef stop_block(LLVMBuilderRef b, LLVMValueRef fn, uint64_t counters, LLVMValueRef number)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx), i8 = LLVMInt8TypeInContext(ctx);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(ctx, fn, "");
	LLVMValueRef at, state = LLVMGetParam(fn, 1), offset = LLVMConstInt(i64, counters, 0);

	LLVMPositionBuilderAtEnd(b, block);
	LLVMSetCurrentDebugLocation2(b, NULL);
	number = LLVMBuildZExt(b, number, i64, "");
	at = LLVMBuildGEP2(b, i8, state, &offset, 1, "");
	at = LLVMBuildGEP2(b, i64, at, &number, 1, "");
	LLVMBuildStore(b, LLVMBuildAdd(b, LLVMBuildLoad2(b, i64, at, ""), LLVMConstInt(i64, 1, 0), ""), at);
	LLVMBuildRetVoid(b);
	return block;
}

/*
 * Each trap has a block of its own: were they to share one, the number would be in a register, which the target sets as
 * early as it can, where the run is fast. The optimiser may have made one call of two, of which one number or the other
 * comes in.
 */
static void lower_call(LLVMBuilderRef b, LLVMValueRef call, uint64_t counters, struct traps *t)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), number = LLVMGetOperand(call, 0),
		     next;
	struct trap *known = LLVMIsAConstantInt(number) ? &t->list[LLVMConstIntGetZExtValue(number)] : NULL;
	LLVMBasicBlockRef stop = known ? known->stop : NULL;

	if (!stop)
		stop = stop_block(b, fn, counters, number);
	if (known)
		known->stop = stop;
	LLVMPositionBuilderBefore(b, call);
	LLVMBuildBr(b, stop);
	for (; call; call = next) { /* and the rest of the block, of which nothing is used */
		next = LLVMGetNextInstruction(call);
		LLVMInstructionEraseFromParent(call);
	}
}

void lower_traps(LLVMModuleRef m, struct traps *t, uint64_t state_size)
{
	LLVMValueRef trap = LLVMGetNamedFunction(m, trap_name), fn;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));

	for (fn = trap ? LLVMGetFirstFunction(m) : NULL; fn; fn = LLVMGetNextFunction(fn)) {
		LLVMBasicBlockRef block;

		for (int i = 0; i < t->n; i++)
			t->list[i].stop = NULL;
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef inst = LLVMGetFirstInstruction(block);

			while (inst && !(LLVMIsACallInst(inst) && LLVMGetCalledValue(inst) == trap))
				inst = LLVMGetNextInstruction(inst);
			if (inst)
				lower_call(b, inst, counters_at(t, state_size), t);
		}
	}
	if (trap)
		LLVMDeleteFunction(trap);
	LLVMDisposeBuilder(b);
}

/* ---- the table for the reader ---- */

static void put_string(FILE *f, const char *s)
{
	fputs("\t.asciz \"", f);
	for (; *s; s++) {
		if (*s < ' ' || *s > '~' || *s == '"' || *s == '\\')
			fprintf(f, "\\%03o", (unsigned char)*s);
		else
			fputc(*s, f);
	}
	fputs("\"\n", f);
}

void describe_traps(LLVMModuleRef m, const struct traps *t, uint64_t state_size)
{
	const struct behind_state behind = behind_state(m);
	char *text = NULL;
	size_t n = 0;
	FILE *f = t->n || behind.room ? open_memstream(&text, &n) : NULL;

	if (!f)
		return;
	fprintf(f, "\t.section .ward.traps,\"\",@progbits\n\t.long 1, %d\n\t.quad %" PRIu64 "\n", t->n,
		counters_at(t, state_size));
	for (int i = 0; i < t->n; i++)
		fprintf(f, "\t.long %u, .Lward_file%d - .Lward_strings, .Lward_what%d - .Lward_strings\n",
			t->list[i].line, i, i);
	fputs(".Lward_strings:\n", f);
	for (int i = 0; i < t->n; i++) {
		fprintf(f, ".Lward_file%d:\n", i);
		put_string(f, t->list[i].file);
		fprintf(f, ".Lward_what%d:\n", i);
		put_string(f, t->list[i].what);
	}
	if (behind.shared_size)
		fprintf(f, "\t.section .ward.shared,\"\",@progbits\n\t.long 1, 0\n\t.quad %" PRIu64 ", %" PRIu64 "\n",
			behind.shared_at, behind.shared_size);
	fputs("\t.text\n", f);
	fclose(f);
	LLVMSetModuleInlineAsm2(m, text, n);
	free(text);
}
