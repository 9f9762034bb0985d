/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-llvm: the compiler's back end. codegen/driver/driver.c starts it; it isn't for users.
 *
 * It reads bitcode on stdin, as clang writes it before any optimisation, and further sources on descriptors 3 and up.
 * It writes the linked module with its proof to stdout, behind the rows of the report and a zero byte if a report is
 * wanted. If an object is wanted, or the module isn't accepted, it writes the object. Diagnostics go to stderr. Exit
 * status: 0 done, 1 the source was refused, 2 a failure of this program.
 */
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/llvm/prepare/calls.h"
#include "codegen/llvm/prepare/llvm_options.h"
#include "codegen/llvm/prepare/memory.h"
#include "codegen/llvm/prepare/ctype.h"
#include "codegen/llvm/dialect/dialect.h"
#include "codegen/llvm/prepare/prepare.h"
#include "codegen/llvm/prepare/real_copies.h"
#include "codegen/llvm/select/select.h"
#include "codegen/llvm/search/ladder.h"
#include "codegen/llvm/prepare/sources.h"
#include "codegen/llvm/guard/stops.h"

/* What LLVM itself said. The same code is generated again and again: what is said each time is said once. */
struct said {
	char **text;
	size_t n;
	unsigned errors;
};

static bool is_said(const struct said *said, const char *text)
{
	for (size_t i = 0; i < said->n; i++)
		if (!strcmp(said->text[i], text))
			return true;
	return false;
}

/* Whether a loop of our headers was unrolled is no business of an author's: what can't be proven for it is said. */
static bool is_hint(LLVMDiagnosticSeverity severity, const char *text)
{
	return severity == LLVMDSWarning && strstr(text, "include/ward/") && strstr(text, "loop not unrolled");
}

/* A message from LLVM itself. Without a handler an error would end the process in silence. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
	LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
	struct said *said = user;
	char *text, **grown;

	if (severity != LLVMDSError && severity != LLVMDSWarning)
		return;
	said->errors += severity == LLVMDSError;
	text = LLVMGetDiagInfoDescription(info);
	if (!is_hint(severity, text) && !is_said(said, text)) {
		fprintf(stderr, "ward: code generation: %s%s\n", severity == LLVMDSWarning ? "warning: " : "", text);
		grown = realloc(said->text, (said->n + 1) * sizeof(*grown));
		if (grown) {
			said->text = grown;
			said->text[said->n] = strdup(text);
			said->n += said->text[said->n] != NULL;
		}
	}
	LLVMDisposeMessage(text);
}

static void said_free(struct said *said)
{
	while (said->n)
		free(said->text[--said->n]);
	free(said->text);
}

static LLVMTargetMachineRef target_machine(const char *triple)
{
	LLVMTargetRef target;
	LLVMTargetMachineRef tm = NULL;
	char *why = NULL;

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMInitializeX86AsmParser(); /* of the table of traps */
	if (LLVMGetTargetFromTriple(triple, &target, &why) == 0)
		tm = LLVMCreateTargetMachine(
			target, triple, "x86-64", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
	if (!tm)
		fprintf(stderr, "ward: code generation: no target %s: %s\n", triple, why ? why : "");
	LLVMDisposeMessage(why);
	return tm;
}

static int write_all(const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t done = write(1, p, n);

		if (done <= 0)
			return 2;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* What was printed of the report is still before it. */
static int write_result(const struct built *b, const struct build_options *options)
{
	if (options->report && (putchar('\0') == EOF || fflush(stdout)))
		return 2;
	if (b->module.data && !options->object)
		return write_all(b->module.data, b->module.size);
	return write_all(LLVMGetBufferStart(b->object), LLVMGetBufferSize(b->object));
}

static int diags_refuse(struct diags *d)
{
	diag_print(d);
	return d->no_memory ? 2 : d->n > 0;
}

/* What recursion there is, of a depth that isn't known, is said as the source has it, and stays. */
static bool unroll(LLVMModuleRef *m, LLVMTargetMachineRef tm, struct diags *d)
{
	struct diags cycles = {0};
	LLVMModuleRef unrolled;
	bool known = true, ok;

	check_cycles(*m, &cycles);
	ok = !cycles.no_memory;
	if (ok && cycles.n) {
		unrolled = LLVMCloneModule(*m);
		ok = unroll_recursion(unrolled, tm, &known);
		if (!known)
			diag_move(&cycles, d);
		LLVMDisposeModule(known ? *m : unrolled);
		*m = known ? unrolled : *m;
	}
	diag_free(&cycles);
	return ok;
}

/* Everything that is refused before optimisation. Calls that the dialect has and the machine code hasn't are made. */
static bool module_check(
	LLVMModuleRef *module, LLVMTargetMachineRef tm, bool kernel, struct diags *endless, struct diags *d)
{
	struct diags warnings = {.are_warnings = true};
	LLVMModuleRef m = *module;

	if (!drop_unreached(m, tm))
		return false;
	warn_of_endless_loops(m, endless);
	warn(m, kernel, &warnings);
	diag_print(endless);
	diag_print(&warnings);
	diag_free(&warnings);
	copy_reals_as_bits(m);
	check_dialect(m, kernel, d);
	return number_functions(m, d) && unroll(module, tm, d);
}

/* The module with calls of large functions, if it has such and is accepted so. */
static bool compile_with_calls(
	LLVMModuleRef source, LLVMTargetMachineRef tm, const struct build_options *options, struct built *built)
{
	LLVMModuleRef m = options->always || options->kernel ? NULL : keep_calls(source, tm, options->limits.max_stack);
	struct diags d = {0};
	bool ok = m && optimise(m, tm, options->limits.max_stack, &d);

	if (ok)
		lower(m, &d);
	ok = ok && d.n == 0 && !d.no_memory && build_with_calls(m, tm, options, built);
	diag_free(&d);
	if (m)
		LLVMDisposeModule(m);
	return ok;
}

static int module_compile(LLVMModuleRef *module, struct build_options *options, const struct said *said)
{
	struct built built = {0};
	LLVMModuleRef source = NULL;
	struct diags d = {0}, inlining = {0}, endless = {.are_warnings = true};
	LLVMTargetMachineRef tm = target_machine(LLVMGetTarget(*module));
	LLVMModuleRef m;
	struct traps stops = {0};
	int status;

	options->stops = &stops;
	options->endless = &endless;
	status = tm && module_check(module, tm, options->kernel, &endless, &d) ? 0 : 2;
	m = *module;
	status = status == 0 && name_stops(m, &stops) && link_ctype(m) ? 0 : 2;
	name_memory(m);
	index_forward(m);
	source = d.n ? NULL : LLVMCloneModule(m);
	/* what was refused may be what can't be inlined */
	status = status == 0 && optimise(m, tm, options->limits.max_stack, d.n ? &inlining : &d) ? 0 : 2;
	if (status == 0)
		check_initialisers(m, &d);
	if (status == 0)
		check_escapes(m, options->kernel, options->limits.max_stack, &d);
	status = d.n || d.no_memory ? diags_refuse(&d) : status;
	if (status == 0) {
		lower(m, &d);
		suit_size(m);
		status = diags_refuse(&d);
	}
	if (status == 0) {
		bool done = is_large(m) && compile_with_calls(source, tm, options, &built);

		status = done || build(m, source, tm, options, &built) ? 0 : 2;
		status = said->errors ? 1 : status ? status : write_result(&built, options);
	}
	built_free(&built);
	if (source)
		LLVMDisposeModule(source);
	if (tm)
		LLVMDisposeTargetMachine(tm);
	diag_free(&d);
	diag_free(&inlining);
	diag_free(&endless);
	traps_free(&stops);
	return status;
}

/*
 * The driver's arguments: there are no others, so whatever is not understood is an error of the driver's. Each source
 * has its directory among them.
 */
static bool arguments_parse(struct build_options *o, size_t *n_sources, int argc, char **argv)
{
	static const char *allow[64];

	o->limits.allow = allow;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--kernel"))
			o->kernel = true;
		else if (!strcmp(argv[i], "--always"))
			o->always = true;
		else if (!strcmp(argv[i], "--never"))
			o->never = true;
		else if (!strcmp(argv[i], "--object"))
			o->object = true;
		else if (!strcmp(argv[i], "--report"))
			o->report = true;
		else if (!strncmp(argv[i], "--rounds=", 9))
			o->rounds = strtoull(argv[i] + 9, NULL, 10);
		else if (!strncmp(argv[i], "--max-insns=", 12))
			o->limits.max_insns = strtoull(argv[i] + 12, NULL, 10);
		else if (!strncmp(argv[i], "--max-stack=", 12))
			o->limits.max_stack = (uint32_t)strtoul(argv[i] + 12, NULL, 10);
		else if (!strncmp(argv[i], "--allow=", 8) && o->limits.n_allow < sizeof(allow) / sizeof(allow[0]))
			allow[o->limits.n_allow++] = argv[i] + 8;
		else if (!strcmp(argv[i], "--directory") && i + 2 < argc && diag_directory(argv[i + 1], argv[i + 2])) {
			*n_sources += 1;
			i += 2;
		} else
			return false;
	}
	return *n_sources > 0;
}

int main(int argc, char **argv)
{
	struct build_options build_options = {.limits = {.size = sizeof(struct ward_verify_options)}};
	LLVMContextRef ctx = LLVMContextCreate();
	LLVMModuleRef m;
	struct diags d = {0};
	struct said said = {0};
	size_t n_sources = 0;
	int status = 2;

	if (!arguments_parse(&build_options, &n_sources, argc, argv)) {
		fputs("ward: ward-llvm: bad arguments\n", stderr);
		return 2;
	}
	LLVMContextSetDiagnosticHandler(ctx, on_diagnostic, &said);
	set_options();
	m = read_sources(ctx, n_sources, &d);
	if (m)
		status = module_compile(&m, &build_options, &said);
	else if (d.n)
		status = diags_refuse(&d);
	if (m)
		LLVMDisposeModule(m);
	diag_free(&d);
	LLVMContextDispose(ctx);
	said_free(&said);
	return status;
}
