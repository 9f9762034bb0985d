/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for debuggers of the constants that became one (constants.c). The author's `names` is now ward.constants +
 * 32, which no debug information says, because LLVM's C interface gives a variable only one description.
 *
 * So the one constant carries a note of what is where in it. When the code is generated for the last time, each
 * description goes to a variable that is only declared. The assembler makes its symbol from the whole and the
 * distance. So the description has an address, and the symbol table a name. Code neither needs nor sees them.
 */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "prepare.h"

static const char note[] = "ward.members";

static unsigned kind_of_note(LLVMModuleRef m)
{
	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), note, sizeof(note) - 1);
}

/* What the author has named, strings being .str, and the assembler takes as a name. */
static bool is_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", name[i]) || !name[i])
			return false;
	return n > 0 && name[0] != '.';
}

/* {name, distance, size, description} */
static LLVMMetadataRef note_of(const struct constants *k, const struct member *m, LLVMMetadataRef description)
{
	size_t n;
	const char *name = LLVMGetValueName2(m->global, &n);
	LLVMMetadataRef parts[4] = {LLVMMDStringInContext2(k->ctx, name, n),
		LLVMValueAsMetadata(LLVMConstInt(k->i64, m->at, 0)),
		LLVMValueAsMetadata(LLVMConstInt(k->i64, m->size, 0)), description};

	return is_name(name, n) ? LLVMMDNodeInContext2(k->ctx, parts, 4) : NULL;
}

static LLVMMetadataRef description_of(LLVMValueRef global)
{
	size_t n = 0;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
	LLVMMetadataRef found = NULL;

	for (unsigned i = 0; i < n && !found; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(entries, i);

		if (LLVMGetMetadataKind(md) == LLVMDIGlobalVariableExpressionMetadataKind)
			found = md;
	}
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

void note_members(struct constants *k)
{
	LLVMMetadataRef *notes = calloc(k->n + (size_t)1, sizeof(*notes)), description;
	size_t n = 0;

	k->no_memory |= !notes;
	for (unsigned i = 0; notes && i < k->n; i++) {
		description = description_of(k->members[i].global);
		notes[n] = description ? note_of(k, &k->members[i], description) : NULL;
		n += notes[n] != NULL;
	}
	if (n)
		LLVMGlobalSetMetadata(k->pool, kind_of_note(k->m), LLVMMDNodeInContext2(k->ctx, notes, n));
	free(notes);
}

/* The note on the one constant, if it is still there: what nobody reads isn't. */
static LLVMMetadataRef find_note(LLVMModuleRef m, LLVMValueRef *pool)
{
	LLVMMetadataRef found = NULL;

	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g && !found; g = LLVMGetNextGlobal(g)) {
		size_t n = 0;
		LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(g, &n);

		for (unsigned i = 0; i < n; i++)
			if (LLVMValueMetadataEntriesGetKind(entries, i) == kind_of_note(m))
				found = LLVMValueMetadataEntriesGetMetadata(entries, i);
		LLVMDisposeValueMetadataEntries(entries);
		*pool = g;
	}
	return found;
}

static void describe_member(LLVMModuleRef m, LLVMValueRef pool, LLVMValueRef one, FILE *f)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMValueRef parts[4], declared;
	unsigned length;
	size_t n;
	const char *name;

	LLVMGetMDNodeOperands(one, parts);
	name = LLVMGetMDString(parts[0], &length);
	declared = LLVMAddGlobal(m, LLVMInt8TypeInContext(ctx), "");
	LLVMSetValueName2(declared, name, length); /* or one like it, if it is taken */
	LLVMGlobalSetMetadata(declared, LLVMGetMDKindIDInContext(ctx, "dbg", 3), LLVMValueAsMetadata(parts[3]));
	name = LLVMGetValueName2(declared, &n);
	fprintf(f, "\t.set \"%s\", \"%s\" + %llu\n\t.type \"%s\",@object\n\t.size \"%s\", %llu\n", name,
		LLVMGetValueName2(pool, &n), LLVMConstIntGetZExtValue(parts[1]), name, name,
		LLVMConstIntGetZExtValue(parts[2]));
}

void describe_members(LLVMModuleRef m)
{
	LLVMValueRef pool, *parts, list;
	LLVMMetadataRef found = find_note(m, &pool);
	char *text = NULL;
	size_t size = 0;
	FILE *f = found && LLVMGetFirstUse(pool) ? open_memstream(&text, &size) : NULL;

	if (!f)
		return;
	list = LLVMMetadataAsValue(LLVMGetModuleContext(m), found);
	parts = calloc(LLVMGetMDNodeNumOperands(list) + (size_t)1, sizeof(*parts));
	if (parts)
		LLVMGetMDNodeOperands(list, parts);
	for (unsigned i = 0; parts && i < LLVMGetMDNodeNumOperands(list); i++)
		describe_member(m, pool, parts[i], f);
	free(parts);
	fclose(f);
	LLVMAppendModuleInlineAsm(m, text, size);
	free(text);
}
