/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <ctype.h>: the functions, and those by which glibc's macros reach its tables. Dialect code of ours takes their place
 * (mem_runtime/ctype.c), before anything is optimised.
 */
#include "ctype.h"

#include <string.h>

#include "memory.h"

extern const char ward_forms_ctype[], ward_forms_ctype_end[];
static const char classify[] = "ii", table[] = "p";
static const struct {
	const char *name, *type;
} functions[] = {{"__ctype_b_loc", table}, {"__ctype_toupper_loc", table}, {"__ctype_tolower_loc", table},
	{"isalnum", classify}, {"isalpha", classify}, {"isblank", classify}, {"iscntrl", classify},
	{"isdigit", classify}, {"isgraph", classify}, {"islower", classify}, {"isprint", classify},
	{"ispunct", classify}, {"isspace", classify}, {"isupper", classify}, {"isxdigit", classify},
	{"toupper", classify}, {"tolower", classify}};

bool is_ctype_function(LLVMValueRef fn)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (is_declared_as(fn, functions[i].name, functions[i].type))
			return true;
	return false;
}

bool link_ctype(LLVMModuleRef m)
{
	LLVMValueRef fn = LLVMGetFirstFunction(m);

	while (fn && !(LLVMGetFirstUse(fn) && is_ctype_function(fn)))
		fn = LLVMGetNextFunction(fn);
	return !fn || link_bitcode(m, ward_forms_ctype, ward_forms_ctype_end, "<ctype.h>");
}
