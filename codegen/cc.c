/*
 * The compiler driver: clang-19 | ward-llvm, then the linker.
 *
 * clang is the front end that C authors know, with its own diagnostics; it writes unoptimised bitcode. ward-llvm (llvm/) checks the dialect
 * on it, optimises and writes an object. It is a program of its own for three reasons: commands that compile nothing never load LLVM; LLVM
 * loads while clang still parses; and LLVM, which has global options and may end its process on an input it can't handle, does so in a
 * process that can be spared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen.h"
#include "paths.h"
#include "report.h"
#include "pipeline.h"

static const char front_end[] = "clang-19";

/*
 * -fwrapv, -fno-finite-loops, -fno-delete-null-pointer-checks, -fno-strict-aliasing: undefined behaviour must not delete the code around
 * it, or what is left falls off its end. -mstack-alignment=8: no realignment of the stack.
 */
static const char *const flags[] = {"-x", "c", "-std=gnu11", "-O2", "-Xclang", "-disable-llvm-passes", "-g", "-gcolumn-info", "-emit-llvm",
	"-c", "-o", "-", "--target=x86_64-linux-gnu", "-march=x86-64", "-fPIC", "-mcmodel=small", "-mgeneral-regs-only",
	"-fno-stack-protector", "-fcf-protection=none", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-plt",
	"-fvisibility=hidden", "-ffreestanding", "-mstack-alignment=8", "-mno-red-zone", "-fwrapv", "-fno-finite-loops",
	"-fno-delete-null-pointer-checks", "-fno-strict-aliasing", "-fno-common", "-ftrivial-auto-var-init=zero", "-Wall", "-fno-color-diagnostics"};
enum { N_FLAGS = sizeof(flags) / sizeof(flags[0]) };

struct command {
	const char **argv;
	size_t n;
};

/* "-I" "dir" and "-D" "name=value" as two arguments each: nothing to quote or join. */
static int build_command(struct command *c, const char *source, const struct ward_cc_options *options, const char *include)
{
	size_t i;

	c->argv = calloc(N_FLAGS + 2 * (options->n_include_dirs + options->n_defines) + 8, sizeof(*c->argv));
	if (!c->argv)
		return -1;
	c->argv[c->n++] = front_end;
	for (i = 0; i < N_FLAGS; i++)
		c->argv[c->n++] = flags[i];
	for (i = 0; i < options->n_defines; i++) {
		c->argv[c->n++] = "-D";
		c->argv[c->n++] = options->defines[i];
	}
	for (i = 0; i < options->n_include_dirs; i++) {
		c->argv[c->n++] = "-I";
		c->argv[c->n++] = options->include_dirs[i];
	}
	c->argv[c->n++] = "-I";
	c->argv[c->n++] = include;
	c->argv[c->n++] = "--";
	c->argv[c->n++] = source;
	return 0;
}

static void say(const struct cg_report *r, const struct cg_buf *text)
{
	if (r->diag && !text->failed && text->n > 1)
		r->diag(r->user, (const char *)text->p);
}

/* What the two programs came to; what the second says in success may be a report. Returns as ward_cc. */
static int judge(struct cg_report *r, const struct cg_pipeline *p, int ran, bool report)
{
	bool clang_ok = WIFEXITED(p->first_status) && WEXITSTATUS(p->first_status) == 0;

	if (ran) {
		const char *hint = p->failed == front_end ? "install it: apt-get install clang-19" : "the installation is incomplete";

		r->what = p->failed;
		return 1 + cg_error(r, hint, "cannot be run: %s", strerror(p->spawn_error));
	}
	say(r, &p->first_err);
	if (!clang_ok) {
		if (WIFEXITED(p->first_status) && WEXITSTATUS(p->first_status) == 1)
			return p->first_err.n > 1 ? 1 : cg_error(r, NULL, "%s failed and did not say why", front_end);
		return 1 + cg_error(r, NULL, "%s crashed", front_end);
	}
	if (WEXITSTATUS(p->second_status) != 0 || !report)
		say(r, &p->second_err);
	if (!WIFEXITED(p->second_status) || WEXITSTATUS(p->second_status) > 1)
		return 1 + cg_error(r, "this is a fault of the compiler; a simpler source may do", "code generation failed");
	if (WEXITSTATUS(p->second_status) == 1)
		return 1;
	if (p->out.failed || p->out.n == 0)
		return 1 + cg_error(r, NULL, "code generation gave no object, or one of more than 64 MiB");
	return 0;
}

/* The back end's arguments. Returns false without memory. Numbers and names are strings of their own. */
static bool build_backend(struct command *c, const char *backend, const struct ward_cc_options *options)
{
	const struct ward_verify_options none = {0}, *limits = options->limits ? options->limits : &none;
	bool ok = true;

	c->argv = calloc(limits->n_allow + 8, sizeof(*c->argv));
	if (!c->argv)
		return false;
	c->argv[c->n++] = strdup(backend);
	if (options->kernel)
		c->argv[c->n++] = strdup("--kernel");
	if (options->guards != WARD_GUARDS_AUTO)
		c->argv[c->n++] = strdup(options->guards == WARD_GUARDS_ALWAYS ? "--always" : "--never");
	if (options->report)
		c->argv[c->n++] = strdup("--report");
	ok &= asprintf((char **)&c->argv[c->n++], "--max-insns=%" PRIu64, limits->max_insns) > 0;
	ok &= asprintf((char **)&c->argv[c->n++], "--max-stack=%" PRIu32, limits->max_stack) > 0;
	for (size_t i = 0; ok && i < limits->n_allow; i++)
		ok &= asprintf((char **)&c->argv[c->n++], "--allow=%s", limits->allow[i]) > 0;
	for (size_t i = 0; i < c->n; i++)
		ok &= c->argv[i] != NULL;
	return ok;
}

static void free_backend(struct command *c)
{
	for (size_t i = 0; c->argv && i < c->n; i++)
		free((void *)(uintptr_t)c->argv[i]);
	free(c->argv);
}

static int compile(const char *source, const struct ward_cc_options *options, struct cg_report *r, struct cg_pipeline *p)
{
	char include[PATH_MAX], backend[PATH_MAX];
	struct command command = {0}, second = {0};
	int status;

	cg_include_dir(include);
	cg_backend(backend);
	if (build_command(&command, source, options, include) || !build_backend(&second, backend, options))
		return 1 + cg_error(r, NULL, "out of memory");
	p->first = command.argv;
	p->second = second.argv;
	status = judge(r, p, cg_pipeline_run(p), options->report);
	if (status == 0 && options->report && !p->second_err.failed)
		options->report(options->user, (const char *)p->second_err.p);
	free(command.argv);
	free_backend(&second);
	return status;
}

int ward_cc(const char *source_path, const struct ward_cc_options *options, struct ward_buf *out)
{
	struct cg_report report = {options->diag, options->user, source_path, 0};
	struct ward_link_options link = {.name = source_path,
		.kernel = options->kernel,
		.state_size = -1,
		.no_proof = options->no_proof,
		.diag = options->diag,
		.user = options->user};
	struct cg_pipeline p = {0};
	int status;

	*out = (struct ward_buf){0};
	if (access(source_path, R_OK))
		return 1 + cg_error(&report, "give the path of a probe's C source", "%s", strerror(errno));
	status = compile(source_path, options, &report, &p);
	if (status == 0)
		status = ward_link(p.out.p, p.out.n, &link, out);
	cg_buf_free(&p.out);
	cg_buf_free(&p.first_err);
	cg_buf_free(&p.second_err);
	return status;
}
