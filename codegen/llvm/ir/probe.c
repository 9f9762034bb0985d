/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <string.h>

bool is_entry(LLVMValueRef fn)
{
	const char *section = LLVMGetSection(fn);

	return section && strncmp(section, "ward!", 5) == 0;
}

const char trap_name[] = "ward.trap", stop_no_function[] = "ward.stop.call";

static bool has_name(LLVMValueRef fn, const char *name)
{
	size_t n;

	return strcmp(LLVMGetValueName2(fn, &n), name) == 0;
}

bool is_shared_place(LLVMValueRef fn)
{
	return LLVMIsDeclaration(fn) && has_name(fn, "ward_shared_place");
}

bool is_trap(LLVMValueRef fn)
{
	return LLVMIsDeclaration(fn) && has_name(fn, trap_name);
}

bool is_stop(LLVMValueRef fn)
{
	static const char noreturn[] = "noreturn";
	unsigned kind = LLVMGetEnumAttributeKindForName(noreturn, sizeof(noreturn) - 1);

	return LLVMIsDeclaration(fn) &&
	       (has_name(fn, stop_no_function) ||
		       (has_name(fn, "__assert_fail") &&
			       LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind)));
}

bool is_import(LLVMValueRef fn)
{
	static const char *const names[] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) name,
#include "ward/import.def"
#undef IMPORT
	};
	size_t i, n;
	const char *name = LLVMGetValueName2(fn, &n);

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return LLVMIsDeclaration(fn);
	return false;
}

LLVMValueRef address_in(LLVMValueRef v, bool (*but)(LLVMValueRef), int depth)
{
	int n, i;

	if (LLVMIsAGlobalValue(v) || LLVMIsABlockAddress(v))
		return but && but(v) ? NULL : v;
	if (depth > 16 || !LLVMIsAUser(v) || LLVMIsAConstantDataSequential(v))
		return NULL;
	n = LLVMGetNumOperands(v);
	for (i = 0; i < n; i++) {
		LLVMValueRef found = address_in(LLVMGetOperand(v, (unsigned)i), but, depth + 1);

		if (found)
			return found;
	}
	return NULL;
}
