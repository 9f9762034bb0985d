/* SPDX-License-Identifier: Apache-2.0 */
#include "import_buffers.h"

#include <string.h>

#include "probe.h"

struct import {
	const char *name;
	struct {
		bool buffer, written;
		unsigned length;
	} argument[MAX_IMPORT_BUFFERS];
};

/* The words of import.def, as far as they matter here. */
#define ARGUMENTS(...) {__VA_ARGS__}
#define SCALAR {false, false, 0}
#define ID(n) {false, false, 0}
#define IN(k) {true, false, k}
#define OUT(k) {true, true, k}

static const struct import imports[] = {
/* clang-format off */
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) \
	{name, arguments},
#include "ward/import.def"
#undef IMPORT
	/* clang-format on */
};

static const struct import *import_of(LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	const char *name;
	size_t n;

	if (!callee || !LLVMIsAFunction(callee) || !is_import(callee))
		return NULL;
	name = LLVMGetValueName2(callee, &n);
	for (size_t i = 0; i < sizeof(imports) / sizeof(imports[0]); i++)
		if (strcmp(imports[i].name, name) == 0)
			return &imports[i];
	return NULL;
}

/* Is the operand one of the call's arguments, and of this type? The author's own declaration may say something else. */
static bool is_argument(LLVMValueRef call, unsigned k, LLVMTypeKind type)
{
	return k < LLVMGetNumArgOperands(call) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, k))) == type;
}

unsigned import_buffers_of(LLVMValueRef inst, struct import_buffer found[MAX_IMPORT_BUFFERS])
{
	const struct import *of = import_of(inst);
	unsigned n = 0;

	for (unsigned k = 0; of && k < MAX_IMPORT_BUFFERS; k++) {
		unsigned length = of->argument[k].length;

		if (of->argument[k].buffer && is_argument(inst, k, LLVMPointerTypeKind) &&
			is_argument(inst, length, LLVMIntegerTypeKind) &&
			LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(inst, length))) == 64)
			found[n++] = (struct import_buffer){k, length, of->argument[k].written};
	}
	return n;
}
