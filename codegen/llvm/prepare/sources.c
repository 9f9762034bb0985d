/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several source files, one module. Each is bitcode of its own. LLVM links them as a linker does objects, before
 * anything is checked: only all of them together can tell whether a function exists, or calls itself. Static names
 * may be the same in several files. LLVM gives the later ones a number, which name_in_source removes for messages.
 * What a linker of C objects never sees is checked here: a function or variable that is defined twice, or declared in
 * one file otherwise than it is defined in another.
 */
#include "sources.h"
#include "codegen/llvm/ir/diag.h"

#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_INPUT = 3 };

static LLVMMemoryBufferRef read_all(int fd)
{
	size_t n = 0, cap = 1 << 18;
	char *data = malloc(cap), *grown;
	LLVMMemoryBufferRef buffer = NULL;
	ssize_t got = 1;

	while (data && got != 0) {
		if (n == cap) {
			grown = realloc(data, cap *= 2);
			if (!grown)
				break;
			data = grown;
		}
		got = read(fd, data + n, cap - n);
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (data && got == 0 && n)
		buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(data, n, "");
	free(data);
	return buffer;
}

static LLVMModuleRef read_source(LLVMContextRef ctx, int fd)
{
	LLVMMemoryBufferRef buffer = read_all(fd);
	LLVMModuleRef m = NULL;

	if (!buffer || LLVMParseBitcodeInContext2(ctx, buffer, &m))
		fputs("ward: bitcode: not well-formed\n", stderr);
	if (buffer)
		LLVMDisposeMemoryBuffer(buffer);
	return m;
}

static bool is_public(LLVMValueRef v)
{
	LLVMLinkage linkage = LLVMGetLinkage(v);

	return linkage == LLVMExternalLinkage || linkage == LLVMExternalWeakLinkage;
}

static void say_twice(struct diags *d, struct place at, struct place first, const char *name)
{
	diag_add(d, at, "make one of them static, or leave one out", "'%s' is defined twice; also at %s:%u", name,
		first.file, first.line);
}

static void say_otherwise(struct diags *d, struct place at, LLVMValueRef other, const char *name)
{
	struct place file = place_of_module(LLVMGetGlobalParent(other));

	diag_add(d, at, "declare it in a header that both files include", "'%s' is not defined as %s declares it", name,
		file.file);
}

/* A function of one file, and what another has under its name. */
static void compare_functions(LLVMValueRef a, LLVMValueRef b, struct diags *d)
{
	size_t n;
	const char *name = LLVMGetValueName2(a, &n);
	LLVMValueRef defined = LLVMIsDeclaration(a) ? b : a, other = defined == a ? b : a;

	if (!is_public(a) || !is_public(b) || LLVMIsDeclaration(defined))
		return;
	if (!LLVMIsDeclaration(other))
		say_twice(d, place_of_function(b), place_of_function(a), name);
	else if (LLVMGlobalGetValueType(a) != LLVMGlobalGetValueType(b))
		say_otherwise(d, place_of_function(defined), other, name);
}

static void compare_variables(LLVMTargetDataRef layout, LLVMValueRef a, LLVMValueRef b, struct diags *d)
{
	size_t n;
	const char *name = LLVMGetValueName2(a, &n);
	LLVMValueRef defined = LLVMIsDeclaration(a) ? b : a, other = defined == a ? b : a;
	unsigned long long size, declared;

	if (!is_public(a) || !is_public(b) || LLVMIsDeclaration(defined))
		return;
	size = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(defined));
	declared = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(other));
	if (!LLVMIsDeclaration(other))
		say_twice(d, place_of_global(b), place_of_global(a), name);
	else if (declared && declared != size) /* an array may be declared without its length */
		say_otherwise(d, place_of_global(defined), other, name);
}

/* What two files contradict each other in. */
static void modules_compare(LLVMModuleRef a, LLVMModuleRef b, struct diags *d)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(a);
	LLVMValueRef x, y;
	size_t n;

	for (x = LLVMGetFirstFunction(a); x; x = LLVMGetNextFunction(x)) {
		y = LLVMGetNamedFunction(b, LLVMGetValueName2(x, &n));
		if (y)
			compare_functions(x, y, d);
	}
	for (x = LLVMGetFirstGlobal(a); x; x = LLVMGetNextGlobal(x)) {
		y = LLVMGetNamedGlobal(b, LLVMGetValueName2(x, &n));
		if (y)
			compare_variables(layout, x, y, d);
	}
}

LLVMModuleRef read_sources(LLVMContextRef ctx, size_t n, struct diags *d)
{
	LLVMModuleRef *m = calloc(n + 1, sizeof(*m)), all;
	bool ok = m != NULL;

	for (size_t i = 0; ok && i < n; i++) {
		m[i] = read_source(ctx, i ? FIRST_INPUT + (int)i - 1 : 0);
		ok = m[i] != NULL;
		for (size_t k = 0; ok && k < i; k++)
			modules_compare(m[k], m[i], d);
	}
	ok = ok && d->n == 0 && !d->no_memory;
	for (size_t i = 1; i < n && m; i++) {
		LLVMModuleRef source = m[i];

		if (ok)
			ok = !LLVMLinkModules2(m[0], source); /* which disposes of it */
		else if (source)
			LLVMDisposeModule(source);
	}
	all = m ? m[0] : NULL;
	free(m);
	if (!ok && all) {
		LLVMDisposeModule(all);
		all = NULL;
	}
	return all;
}
