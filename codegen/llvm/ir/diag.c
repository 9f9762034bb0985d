/* SPDX-License-Identifier: Apache-2.0 */
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

enum { MAX_DIRECTORIES = 64 };
static struct directory {
	const char *dir, *given;
} directories[MAX_DIRECTORIES];
static size_t n_directories;

bool diag_directory(const char *dir, const char *given)
{
	if (n_directories == MAX_DIRECTORIES)
		return false;
	directories[n_directories++] = (struct directory){dir, given};
	return true;
}

/* The directory among those of the sources that holds the file most closely, or NULL. */
static const struct directory *directory_of(const char *where)
{
	const struct directory *best = NULL;

	for (size_t i = 0; i < n_directories; i++)
		if (strncmp(where, directories[i].dir, strlen(directories[i].dir)) == 0 &&
			(!best || strlen(directories[i].dir) > strlen(best->dir)))
			best = &directories[i];
	return best;
}

/*
 * The name of the file at `where` as the user would write it: as its directory was written, else from the current one.
 */
static void set_spoken(struct place *p)
{
	const struct directory *d = directory_of(p->where);
	char here[PATH_MAX];
	size_t n = getcwd(here, sizeof(here)) ? strlen(here) : 0;
	int length;

	if (d)
		length = snprintf(p->file, sizeof(p->file), "%s%s", d->given, p->where + strlen(d->dir));
	else if (n > 1 && strncmp(p->where, here, n) == 0 && p->where[n] == '/')
		length = snprintf(p->file, sizeof(p->file), "%s", p->where + n + 1);
	else
		length = snprintf(p->file, sizeof(p->file), "%s", p->where);
	if (length >= (int)sizeof(p->file))
		p->line = 0;
}

/* The scope's file. Debug information has its name from the directory of the source, if it is below that. */
static void set_file(struct place *p, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	char name[PATH_MAX], dir[PATH_MAX];
	unsigned n = 0;
	const char *s;

	if (!file)
		return;
	s = LLVMDIFileGetFilename(file, &n);
	copy_name(name, sizeof(name), s, n);
	s = LLVMDIFileGetDirectory(file, &n);
	copy_name(dir, sizeof(dir), s, n);
	n = strlen(dir);
	if (name[0] == '/' || !n)
		snprintf(p->where, sizeof(p->where), "%s", name);
	else if (snprintf(p->where, sizeof(p->where), "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name) >=
		 (int)sizeof(p->where))
		return;
	if ((strstr(p->where, "/../") || strstr(p->where, "/./")) && realpath(p->where, name))
		memcpy(p->where, name, strlen(name) + 1);
	set_spoken(p);
}

void stable_name(const struct place *p, char name[PATH_MAX])
{
	const char *dir = n_directories ? directories[0].dir : "";
	size_t n = strlen(dir);

	snprintf(name, PATH_MAX, "%s",
		!p->where[0]                     ? p->file
		: strncmp(p->where, dir, n) == 0 ? p->where + n
						 : p->where);
}

const char *name_in_source(LLVMValueRef global, char *buf, size_t size)
{
	size_t n;
	char *dot;

	snprintf(buf, size, "%s", LLVMGetValueName2(global, &n));
	while ((dot = strrchr(buf, '.')) != NULL && dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0')
		*dot = '\0';
	dot = strrchr(buf, '.');
	if (dot)
		memmove(buf, dot + 1, strlen(dot));
	return buf;
}

struct place place_of_module(LLVMModuleRef m)
{
	struct place p = {0};
	size_t n = 0;
	const char *s = LLVMGetSourceFileName(m, &n);

	copy_name(p.file, sizeof(p.file), s, n);
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
 * Debug information has no column for definitions: look for the name in the line. What follows the name in a
 * declaration tells it from a type of that name.
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

/*
 * What is compiled without debug information (__attribute__((nodebug))) is looked for by its name in the source: at the
 * first line that may define it, which has what can follow it there and doesn't end as a declaration does.
 */
static void find_definition(struct place *p, const char *name, const char *followed)
{
	FILE *f = fopen(p->file, "r");
	size_t n = strlen(name);
	char line[2048];
	unsigned number = 0;

	while (f && n && !p->line && fgets(line, sizeof(line), f)) {
		char *at = line;

		number++;
		while (!p->line && (at = strstr(at, name)) != NULL) {
			int before = at == line ? ' ' : (unsigned char)at[-1];
			const char *next = at + n + strspn(at + n, " \t"), *brace = strchr(next, '{'),
				   *semicolon = strchr(next, ';');

			if (!isalnum(before) && before != '_' && *next && strchr(followed, *next) &&
				(*next != '(' || !semicolon || (brace && brace < semicolon))) {
				p->line = number;
				p->column = (unsigned)(at - line) + 1;
			}
			at += n;
		}
	}
	if (f)
		fclose(f);
}

struct place place_of_function(LLVMValueRef fn)
{
	struct place p = place_of_module(LLVMGetGlobalParent(fn));
	LLVMMetadataRef sub = LLVMGetSubprogram(fn);
	char name[256];

	name_in_source(fn, name, sizeof(name));
	if (!sub) {
		find_definition(&p, name, "(");
		return p;
	}
	set_file(&p, sub);
	p.line = LLVMDISubprogramGetLine(sub);
	find_column(&p, name);
	return p;
}

struct place place_of_location(LLVMModuleRef m, LLVMMetadataRef loc)
{
	struct place p = place_of_module(m);

	set_file(&p, LLVMDILocationGetScope(loc));
	p.line = LLVMDILocationGetLine(loc);
	p.column = LLVMDILocationGetColumn(loc);
	return p;
}

struct place place_of_instruction(LLVMValueRef inst)
{
	LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));

	if (!loc || LLVMDILocationGetLine(loc) == 0)
		return place_of_function(fn);
	return place_of_location(LLVMGetGlobalParent(fn), loc);
}

struct place place_of_global(LLVMValueRef global)
{
	struct place p = place_of_module(LLVMGetGlobalParent(global));
	size_t n = 0, i;
	char name[256];
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);

	for (i = 0; i < n; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i), var;

		if (LLVMGetMetadataKind(md) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		var = LLVMDIGlobalVariableExpressionGetVariable(md);
		set_file(&p, LLVMDIVariableGetFile(var));
		p.line = LLVMDIVariableGetLine(var);
	}
	LLVMDisposeValueMetadataEntries(entries);
	if (p.line)
		find_column(&p, name_in_source(global, name, sizeof(name)));
	else
		find_definition(&p, name_in_source(global, name, sizeof(name)), "=;,[");
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

void diag_move(struct diags *from, struct diags *to)
{
	for (size_t i = 0; i < from->n; i++)
		diag_add(to, from->list[i].at, from->list[i].hint, "%s", from->list[i].text);
	from->n = 0;
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
	const char *kind = d->are_warnings ? "warning" : "error";
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
			fprintf(stderr, "%s:%u:%u: %s: %s\n", x->at.file, x->at.line, x->at.column, kind, x->text);
		else
			fprintf(stderr, "%s:1:1: %s: %s\n", x->at.file, kind, x->text);
		print_source(&x->at);
		if (x->hint)
			fprintf(stderr, "%shint: %s\n", d->are_warnings ? "    " : "",
				x->hint); /* at the beginning of a line are those of errors */
	}
	if (d->no_memory)
		fputs("ward: diagnostics: out of memory\n", stderr);
}

void diag_free(struct diags *d)
{
	free(d->list);
}
