#include "diag.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/DebugInfo.h>

/* --- places --- */

static void copy_name(char *to, size_t size, const char *from, size_t n)
{
	snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), from ? from : "");
}

/*
 * The scope's file, by a name that can be opened from here. Debug information splits an absolute name where it parts from the current
 * directory; put together again it is the name that the user gave.
 */
static void set_file(struct place *p, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	char name[PATH_MAX], dir[PATH_MAX], here[PATH_MAX];
	unsigned n = 0;
	const char *s;

	if (!file)
		return;
	s = LLVMDIFileGetFilename(file, &n);
	copy_name(name, sizeof(name), s, n);
	s = LLVMDIFileGetDirectory(file, &n);
	copy_name(dir, sizeof(dir), s, n);
	n = (unsigned)snprintf(here, sizeof(here), "%s/%s", dir, name);
	if (name[0] == '/' || !dir[0] || n >= sizeof(here))
		snprintf(p->file, sizeof(p->file), "%s", name);
	else if (p->source_is_absolute || !getcwd(name, sizeof(name)) || strcmp(name, dir) != 0)
		snprintf(p->file, sizeof(p->file), "%s", here);
	else
		snprintf(p->file, sizeof(p->file), "%s", here + strlen(dir) + 1);
}

struct place place_of_module(LLVMModuleRef m)
{
	struct place p = {0};
	size_t n = 0;
	const char *s = LLVMGetSourceFileName(m, &n);

	copy_name(p.file, sizeof(p.file), s, n);
	p.source_is_absolute = p.file[0] == '/';
	return p;
}

/* Line n of the place's file, without its end; "" if it can't be had. */
static void source_line(const struct place *p, char *line, size_t size)
{
	FILE *f = p->line ? fopen(p->file, "r") : NULL;
	unsigned n = 0;

	line[0] = '\0';
	while (f && n < p->line && fgets(line, (int)size, f)) {
		size_t len = strlen(line);

		if (len && line[len - 1] == '\n') {
			line[len - 1] = '\0';
			n++;
		} else if (feof(f)) {
			n++;
		} else {
			int c; /* the rest of a line that is longer than any of ours */

			while ((c = getc(f)) != EOF && c != '\n')
				;
			n++;
		}
	}
	if (n < p->line)
		line[0] = '\0';
	if (f)
		fclose(f);
}

/*
 * Debug information has no column for definitions: look for the name in the line. What follows the name in a declaration tells it from a
 * type of that name.
 */
static void find_column(struct place *p, const char *name)
{
	char line[2048];
	const char *at, *found = NULL;
	size_t n = strlen(name);

	source_line(p, line, sizeof(line));
	for (at = line; n && (at = strstr(at, name)) != NULL; at++) {
		int before = at == line ? ' ' : (unsigned char)at[-1], after = (unsigned char)at[n];
		const char *next = at + n + strspn(at + n, " \t");

		if (isalnum(before) || before == '_' || isalnum(after) || after == '_')
			continue;
		if (!found)
			found = at;
		if (*next == '\0' || strchr("=[](){};,", *next)) {
			found = at;
			break;
		}
	}
	p->column = found ? (unsigned)(found - line) + 1 : 1;
}

struct place place_of_function(LLVMValueRef fn)
{
	struct place p = place_of_module(LLVMGetGlobalParent(fn));
	LLVMMetadataRef sub = LLVMGetSubprogram(fn);
	size_t n;

	if (!sub)
		return p;
	set_file(&p, sub);
	p.line = LLVMDISubprogramGetLine(sub);
	find_column(&p, LLVMGetValueName2(fn, &n));
	return p;
}

struct place place_of_instruction(LLVMValueRef inst)
{
	LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	struct place p;

	if (!loc || LLVMDILocationGetLine(loc) == 0)
		return place_of_function(fn);
	p = place_of_module(LLVMGetGlobalParent(fn));
	set_file(&p, LLVMDILocationGetScope(loc));
	p.line = LLVMDILocationGetLine(loc);
	p.column = LLVMDILocationGetColumn(loc);
	return p;
}

struct place place_of_global(LLVMValueRef global)
{
	struct place p = place_of_module(LLVMGetGlobalParent(global));
	size_t n = 0, i, len;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);

	for (i = 0; i < n; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i), var;

		if (LLVMGetMetadataKind(md) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		var = LLVMDIGlobalVariableExpressionGetVariable(md);
		set_file(&p, LLVMDIVariableGetFile(var) ? LLVMDIVariableGetScope(var) : NULL);
		p.line = LLVMDIVariableGetLine(var);
	}
	LLVMDisposeValueMetadataEntries(entries);
	if (p.line) {
		const char *name = LLVMGetValueName2(global, &len);
		const char *dot = strrchr(name, '.'); /* a static of a function is named function.variable */

		find_column(&p, dot ? dot + 1 : name);
	}
	return p;
}

/* --- the list --- */

void diag_add(struct diags *d, struct place at, const char *hint, const char *fmt, ...)
{
	struct diag *new;
	va_list ap;

	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 32;
		struct diag *list = realloc(d->list, cap * sizeof(*list));

		if (!list) {
			d->no_memory = 1;
			return;
		}
		d->list = list;
		d->cap = cap;
	}
	new = &d->list[d->n++];
	new->at = at;
	new->hint = hint;
	va_start(ap, fmt);
	vsnprintf(new->text, sizeof(new->text), fmt, ap);
	va_end(ap);
}

static int by_line(const struct diag *a, const struct diag *b)
{
	int c = strcmp(a->at.file, b->at.file);

	return c ? c : a->at.line < b->at.line ? -1 : a->at.line > b->at.line;
}

static int by_place(const void *pa, const void *pb)
{
	const struct diag *a = pa, *b = pb;
	int c = by_line(a, b);

	if (c == 0)
		c = a->at.column < b->at.column ? -1 : a->at.column > b->at.column;
	return c ? c : strcmp(a->text, b->text);
}

/* One expression may break a rule in many of its parts: it is said once a line. And one thing is said of one place. */
static int is_repeated(const struct diag *x, const struct diag *before)
{
	if (by_line(x, before))
		return 0;
	return strcmp(x->text, before->text) == 0 || (x->at.line && x->at.column == before->at.column);
}

/* The caret's line repeats the tabs before it, so that both lines are set alike. */
static void print_source(const struct place *p)
{
	char line[2048];
	unsigned i;

	source_line(p, line, sizeof(line));
	if (!line[0])
		return;
	fprintf(stderr, "%5u | %s\n      | ", p->line, line);
	for (i = 0; i + 1 < p->column && line[i]; i++)
		if (((unsigned char)line[i] & 0xc0) != 0x80) /* one blank for each character of UTF-8 */
			fputc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

void diag_print(struct diags *d)
{
	const struct diag *last = NULL;
	size_t i;

	if (d->n)
		qsort(d->list, d->n, sizeof(*d->list), by_place);
	for (i = 0; i < d->n; i++) {
		const struct diag *x = &d->list[i];

		if (last && is_repeated(x, last))
			continue;
		last = x;
		if (x->at.line)
			fprintf(stderr, "%s:%u:%u: error: %s\n", x->at.file, x->at.line, x->at.column, x->text);
		else
			fprintf(stderr, "%s:1:1: error: %s\n", x->at.file, x->text);
		print_source(&x->at);
		if (x->hint)
			fprintf(stderr, "hint: %s\n", x->hint);
	}
	if (d->no_memory)
		fputs("ward: diagnostics: out of memory\n", stderr);
}

void diag_free(struct diags *d)
{
	free(d->list);
}
