/*
 * ward-llvm: the compiler's back end. Bitcode on stdin, as clang writes it before any optimisation; an object on stdout; diagnostics on
 * stderr. Exit status 0 done, 1 the source was refused, 2 a failure of this program.
 *
 * codegen/cc.c starts it; it is not for users.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "passes.h"

/* A message from LLVM itself. Without a handler an error would end the process in silence. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *errors)
{
	LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
	char *text;

	if (severity != LLVMDSError && severity != LLVMDSWarning)
		return;
	*(unsigned *)errors += severity == LLVMDSError;
	text = LLVMGetDiagInfoDescription(info);
	fprintf(stderr, "ward: code generation: %s\n", text);
	LLVMDisposeMessage(text);
}

static LLVMMemoryBufferRef read_stdin(void)
{
	LLVMMemoryBufferRef buffer = NULL;
	char *why = NULL;

	if (LLVMCreateMemoryBufferWithSTDIN(&buffer, &why)) {
		fprintf(stderr, "ward: bitcode: %s\n", why);
		LLVMDisposeMessage(why);
		return NULL;
	}
	return buffer;
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
	if (LLVMGetTargetFromTriple(triple, &target, &why) == 0)
		tm = LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
	if (!tm)
		fprintf(stderr, "ward: code generation: no target %s: %s\n", triple, why ? why : "");
	LLVMDisposeMessage(why);
	return tm;
}

static int write_all(const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(1, p, n);

		if (done <= 0)
			return 2;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int emit(LLVMModuleRef m, LLVMTargetMachineRef tm, const unsigned *errors)
{
	LLVMMemoryBufferRef object = NULL;
	char *why = NULL;
	int status = 0;

	if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why) ||
		LLVMTargetMachineEmitToMemoryBuffer(tm, m, LLVMObjectFile, &why, &object)) {
		fprintf(stderr, "ward: code generation: %s\n", why ? why : "failed");
		status = 2;
	}
	LLVMDisposeMessage(why);
	if (status == 0 && *errors)
		status = 1;
	if (status == 0)
		status = write_all(LLVMGetBufferStart(object), LLVMGetBufferSize(object));
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return status;
}

static int refused(struct diags *d)
{
	diag_print(d);
	return d->no_memory ? 2 : d->n > 0;
}

static int compile(LLVMModuleRef m, const unsigned *errors)
{
	struct diags d = {0};
	LLVMTargetMachineRef tm = NULL;
	int status;

	check_dialect(m, &d);
	status = refused(&d);
	if (status == 0) {
		tm = target_machine(LLVMGetTarget(m));
		if (!tm || !optimise(m, tm, &d))
			status = 2;
	}
	if (status == 0) {
		lower(m, &d);
		status = refused(&d);
	}
	if (status == 0) {
		set_target_attributes(m);
		status = emit(m, tm, errors);
	}
	if (tm)
		LLVMDisposeTargetMachine(tm);
	diag_free(&d);
	return status;
}

int main(void)
{
	static const char *const options[] = {"ward-llvm", "-disable-lftr", "-disable-lsr"};
	LLVMContextRef ctx = LLVMContextCreate();
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef m = NULL;
	unsigned errors = 0;
	int status = 2;

	LLVMContextSetDiagnosticHandler(ctx, on_diagnostic, &errors);
	LLVMParseCommandLineOptions(sizeof(options) / sizeof(options[0]), options, NULL);
	buffer = read_stdin();
	if (buffer && LLVMGetBufferSize(buffer) > 0 && LLVMParseBitcodeInContext2(ctx, buffer, &m) == 0)
		status = compile(m, &errors);
	else
		fputs("ward: bitcode: not well-formed\n", stderr);
	if (m)
		LLVMDisposeModule(m);
	if (buffer)
		LLVMDisposeMemoryBuffer(buffer);
	LLVMContextDispose(ctx);
	return status;
}
