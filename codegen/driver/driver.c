/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler driver: clang-19 | ward-llvm.
 *
 * clang is the front end that C authors know, with its own diagnostics. It writes unoptimised bitcode. ward-llvm
 * (llvm/) checks the dialect on it, optimises it, and links and verifies what it generates, to see what needs a
 * guard. It returns the resulting module, which nobody trusts: whoever uses a module has it verified. Where it found
 * no proof it returns the object, which is linked here for the verdict on it.
 *
 * ward-llvm is a program of its own for three reasons. Commands that compile nothing never load LLVM. LLVM loads
 * while clang still parses. And LLVM, which has global options and may end its process on an input that it can't
 * handle, does so in a process that can be spared. Each of several sources has a clang of its own, all at once;
 * ward-llvm links their bitcode.
 *
 * The same sources give the same bytes, wherever they are compiled from and however they are named. The debug
 * information has each source by its true directory, not the current one, and headers by theirs.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "report_rows.h"
#include "paths.h"
#include "codegen/link/report.h"
#include "pipeline.h"

static const char front_end[] = "clang-19";

/*
 * -fwrapv, -fno-finite-loops, -fno-delete-null-pointer-checks, -fno-strict-aliasing: undefined behaviour must not
 * delete the code around it, or what is left falls off its end. -mstack-alignment=8: no realignment of the stack.
 */
static const char *const flags[] = {"-x", "c", "-std=gnu11", "-O2", "-Xclang", "-disable-llvm-passes", "-g",
	"-gcolumn-info", "-emit-llvm", "-c", "-o", "-", "--target=x86_64-linux-gnu", "-march=x86-64", "-fPIC",
	"-mcmodel=small", "-mgeneral-regs-only", "-fno-stack-protector", "-fcf-protection=none",
	"-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-plt", "-fvisibility=hidden", "-ffreestanding",
	"-mstack-alignment=8", "-mno-red-zone", "-fwrapv", "-fno-finite-loops", "-fno-delete-null-pointer-checks",
	"-fno-strict-aliasing", "-fno-common", "-ftrivial-auto-var-init=zero", "-Wall", "-Wtype-limits",
	"-fno-color-diagnostics"};
enum { N_FLAGS = sizeof(flags) / sizeof(flags[0]) };

struct command {
	const char **argv; /* malloc'd, and so is each word */
	size_t n, cap;
	bool failed; /* no memory */
};

__attribute__((format(printf, 2, 3))) static void add(struct command *c, const char *format, ...)
{
	char *word = NULL;
	va_list ap;

	if (c->n + 1 >= c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		const char **argv = realloc(c->argv, cap * sizeof(*argv));

		c->failed |= !argv;
		if (!argv)
			return;
		c->argv = argv;
		c->cap = cap;
	}
	va_start(ap, format);
	if (vasprintf(&word, format, ap) < 0)
		word = NULL;
	va_end(ap);
	c->failed |= !word;
	if (word)
		c->argv[c->n++] = word;
	c->argv[c->n] = NULL;
}

static void command_free(struct command *c)
{
	for (size_t i = 0; i < c->n; i++)
		free((void *)(uintptr_t)c->argv[i]);
	free(c->argv);
}

/* ---- where a source is ---- */

struct source {
	const char *name;   /* as the user wrote it */
	int given;          /* the length of the directory in it, with its slash; 0: none */
	char dir[PATH_MAX]; /* the directory's true path, with a slash at its end, as the author has it mapped */
	struct command command;
};

static bool true_directory(const char *name, char dir[PATH_MAX])
{
	size_t n = realpath(name, dir) ? strlen(dir) : 0;

	if (!n || n + 2 > PATH_MAX)
		return false;
	if (dir[n - 1] != '/')
		strcpy(dir + n, "/");
	return true;
}

/*
 * A directory's name as the module is to have it: the last of the author's maps that fits, OLD=NEW, puts NEW for OLD.
 */
static bool map_name(char dir[PATH_MAX], const struct ward_cc_options *options)
{
	char rest[PATH_MAX];

	for (size_t i = options->n_maps; i-- > 0;) {
		const char *map = options->maps[i], *equals = strchr(map, '=');
		size_t n = equals ? (size_t)(equals - map) : 0;

		if (!equals || strncmp(dir, map, n) != 0)
			continue;
		snprintf(rest, sizeof(rest), "%s", dir + n);
		return snprintf(dir, PATH_MAX, "%s%s", equals + 1, rest) < PATH_MAX;
	}
	return true;
}

static bool find_source(struct source *s, const char *name, const struct ward_cc_options *options)
{
	const char *slash = strrchr(name, '/');
	char given[PATH_MAX];

	s->name = name;
	s->given = slash ? (int)(slash + 1 - name) : 0;
	return snprintf(given, sizeof(given), "%.*s", s->given, name) < PATH_MAX &&
	       true_directory(s->given ? given : ".", s->dir) && map_name(s->dir, options);
}

/* The debug information has the directory's true name. */
static void map_directory(struct command *c, const char *name, const struct ward_cc_options *options)
{
	size_t len = strlen(name);
	char dir[PATH_MAX];

	if (true_directory(name, dir) && map_name(dir, options))
		add(c, "-fdebug-prefix-map=%s%s=%s", name, len && name[len - 1] == '/' ? "" : "/", dir);
}

/*
 * The same for the source's own: clang leaves some dots out of some of its names, and has ./ before what is included
 * from beside a source that is named without a directory.
 */
static void map_source(struct command *c, const struct source *s)
{
	int dots = 0;

	while (!strncmp(s->name + dots, "./", 2))
		dots += 2 + (int)strspn(s->name + dots + 2, "/");
	if (s->given) {
		add(c, "-fdebug-prefix-map=%.*s=%s", s->given, s->name, s->dir);
		if (dots && dots < s->given)
			add(c, "-fdebug-prefix-map=%.*s=%s", s->given - dots, s->name + dots, s->dir);
	}
	if (dots == s->given) {
		add(c, "-fdebug-prefix-map=%s=%s%s", s->name + dots, s->dir, s->name + dots);
		add(c, "-fdebug-prefix-map=./=%s", s->dir);
	}
}

/* "-I" "dir" and "-D" "name=value" as two words each: nothing to quote or join. */
static bool build_front(struct source *s, const struct ward_cc_options *options, const char *include)
{
	struct command *c = &s->command;
	size_t i, n = strlen(s->dir);

	add(c, "%s", front_end);
	for (i = 0; i < N_FLAGS; i++)
		add(c, "%s", flags[i]);
	add(c, "-fdebug-compilation-dir=%.*s", (int)(n > 1 ? n - 1 : n), s->dir);
	map_directory(c, include, options);
	for (i = 0; i < options->n_include_dirs; i++)
		map_directory(c, options->include_dirs[i], options);
	map_source(c, s);
	for (i = 0; i < options->n_maps; i++)
		add(c, "-fmacro-prefix-map=%s", options->maps[i]);
	if (options->kernel)
		add(c, "-D__WARD_KERNEL__");
	for (i = 0; i < options->n_defines; i++) {
		add(c, "-D");
		add(c, "%s", options->defines[i]);
	}
	for (i = 0; i < options->n_flags; i++)
		add(c, "%s", options->flags[i]);
	for (i = 0; i < options->n_include_dirs; i++) {
		add(c, "-I");
		add(c, "%s", options->include_dirs[i]);
	}
	add(c, "-I");
	add(c, "%s", include);
	add(c, "--");
	add(c, "%s", s->name);
	return !c->failed;
}

static bool wants_rows(const struct ward_cc_options *options)
{
	return options->report || options->guarded;
}

/* The back end's arguments: "--directory" is where a source is, and how the user wrote that. */
static bool build_back(struct command *c, const char *backend, const struct source *sources, size_t n,
	const struct ward_cc_options *options)
{
	const struct ward_verify_options none = {0}, *limits = options->limits ? options->limits : &none;

	add(c, "%s", backend);
	if (options->kernel)
		add(c, "--kernel");
	if (options->guards != WARD_GUARDS_AUTO)
		add(c, "%s", options->guards == WARD_GUARDS_ALWAYS ? "--always" : "--never");
	if (options->no_proof)
		add(c, "--object");
	if (wants_rows(options))
		add(c, "--report");
	if (options->rounds)
		add(c, "--rounds=%" PRIu64, options->rounds);
	add(c, "--max-insns=%" PRIu64, limits->max_insns);
	add(c, "--max-stack=%" PRIu32, limits->max_stack);
	for (size_t i = 0; i < limits->n_allow; i++)
		add(c, "--allow=%s", limits->allow[i]);
	for (size_t i = 0; i < n; i++) {
		add(c, "--directory");
		add(c, "%s", sources[i].dir);
		add(c, "%.*s", sources[i].given, sources[i].name);
	}
	return !c->failed;
}

/* ---- running them ---- */

static void report_write(const struct cg_report *r, const struct cg_buf *text)
{
	if (r->diag && !text->failed && text->n > 1)
		r->diag(r->user, (const char *)text->p);
}

/* Does the front end complain of its own arguments, and not of a source, of which it doesn't always know the place? */
static bool is_usage(const struct cg_buf *err)
{
	const char *text = (const char *)err->p;

	return err->n > 1 && !err->failed &&
	       ((!strncmp(text, "error: ", 7) && strstr(text, "'-")) || !strncmp(text, "clang-19: error: ", 17) ||
		       !strncmp(text, "clang: error: ", 14));
}

/* What the front ends came to: all of them, so that one run says everything. */
static int judge_front(struct cg_report *r, const struct cg_pipeline *p)
{
	int status = 0;

	for (size_t i = 0; i < p->n_feeders; i++) {
		const struct cg_feeder *f = &p->feeders[i];
		int this = WIFEXITED(f->status) ? WEXITSTATUS(f->status) : -1;

		report_write(r, &f->err);
		if (this == 1 && f->err.n <= 1)
			this = cg_error(r, NULL, "%s failed and did not say why", front_end);
		else if (this == 1 && is_usage(&f->err))
			this = 1 + cg_error(r, "see the message above; ward cc --help lists the options",
					   "%s does not take these options", front_end);
		else if (this != 0 && this != 1)
			this = 1 + cg_error(r, NULL, "%s crashed", front_end);
		status = this > status ? this : status;
	}
	return status;
}

/* What all of them came to. Returns as ward_cc. */
static int result_of(struct cg_report *r, const struct cg_pipeline *p, int ran)
{
	int status;

	if (ran) {
		const char *hint = p->failed == p->last[0] ? "the installation is incomplete"
							   : "install it: apt-get install clang-19";

		r->what = p->failed;
		return 1 + cg_error(r, hint, "cannot be run: %s", strerror(p->spawn_error));
	}
	status = judge_front(r, p);
	if (status)
		return status;
	report_write(r, &p->err);
	if (!WIFEXITED(p->status) || WEXITSTATUS(p->status) > 1)
		return 1 + cg_error(r, "this is a fault of the compiler; a simpler source may do",
				   "code generation failed");
	if (WEXITSTATUS(p->status) == 1)
		return 1;
	if (p->out.failed || p->out.n == 0)
		return 1 + cg_error(r, NULL, "code generation gave nothing, or more than 64 MiB");
	return 0;
}

/*
 * The back end's output without the report's rows, which stand before the module or object if they are wanted, and end
 * in a zero byte.
 */
static bool output_split(const struct cg_buf *out, bool rows, const uint8_t **file, size_t *size)
{
	const uint8_t *end = rows ? memchr(out->p, 0, out->n) : NULL;

	*file = end ? end + 1 : out->p;
	*size = out->n - (size_t)(*file - out->p);
	return !rows || end;
}

static bool is_module(const uint8_t *file, size_t size)
{
	Elf64_Ehdr header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, file, sizeof(header));
	return header.e_type == ET_DYN;
}

static int copy_module(const uint8_t *file, size_t size, struct cg_report *r, struct ward_buf *out)
{
	out->data = malloc(size);
	if (!out->data)
		return 1 + cg_error(r, NULL, "out of memory");
	memcpy(out->data, file, size);
	out->size = size;
	return 0;
}

/*
 * Tell who asked for it what was proven and what is guarded. Of what the back end refused itself there is nothing to
 * tell.
 */
static void rows_deliver(const struct ward_cc_options *options, char *rows)
{
	struct cg_guarded g = {0};
	char *table = NULL;

	if (cg_guarded_read(&g, rows)) {
		if (options->guarded)
			options->guarded(options->user, g.row, g.n);
		table = options->report ? cg_guarded_table(&g) : NULL;
		if (table)
			options->report(options->user, table);
	}
	free(table);
	cg_guarded_free(&g);
}

static int sources_compile(struct source *sources, size_t n, const struct ward_cc_options *options, struct cg_report *r,
	struct cg_pipeline *p)
{
	char include[PATH_MAX], backend[PATH_MAX];
	struct command last = {0};
	int status = 0;

	if (!cg_backend(backend) || !cg_include_dir(include))
		return 1 + cg_error(r, "install it: apt-get install ward-compiler",
				   "the compiler of probes is not installed");
	for (size_t i = 0; status == 0 && i < n; i++) {
		if (!build_front(&sources[i], options, include))
			status = 2;
		p->feeders[i].argv = sources[i].command.argv;
	}
	if (status || !build_back(&last, backend, sources, n, options)) {
		command_free(&last);
		return 1 + cg_error(r, NULL, "out of memory");
	}
	p->n_feeders = n;
	p->last = last.argv;
	status = result_of(r, p, cg_pipeline_run(p));
	command_free(&last);
	return status;
}

/* Are all of them there? */
static int find_sources(
	struct source *sources, size_t n, const char *first, const struct ward_cc_options *options, struct cg_report *r)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = i ? options->more_sources[i - 1] : first;

		r->what = name;
		if (access(name, R_OK) || !find_source(&sources[i], name, options))
			return 1 + cg_error(r, "give the path of a probe's C source", "%s", strerror(errno));
	}
	r->what = first;
	return 0;
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
	size_t n = 1 + options->n_more_sources;
	struct source *sources = calloc(n, sizeof(*sources));
	struct cg_feeder *feeders = calloc(n, sizeof(*feeders));
	struct cg_pipeline p = {.feeders = feeders};
	const uint8_t *file = NULL;
	size_t size = 0;
	int status;

	*out = (struct ward_buf){0};
	if (!sources || !feeders)
		status = 1 + cg_error(&report, NULL, "out of memory");
	else if (n > CG_MAX_FEEDERS)
		status = 1 + cg_error(&report, "include some of them in others",
				     "%zu sources; a module is made of at most %d", n, CG_MAX_FEEDERS);
	else
		status = find_sources(sources, n, source_path, options, &report);
	if (status == 0)
		status = sources_compile(sources, n, options, &report, &p);
	if (status == 0 && !output_split(&p.out, wants_rows(options), &file, &size))
		status = 1 + cg_error(&report, NULL, "code generation gave no report");
	if (status == 0 && wants_rows(options))
		rows_deliver(options, (char *)p.out.p);
	if (status == 0)
		status = is_module(file, size) ? copy_module(file, size, &report, out)
					       : ward_link(file, size, &link, out);
	cg_buf_free(&p.out);
	cg_buf_free(&p.err);
	for (size_t i = 0; i < n && sources && feeders; i++) {
		command_free(&sources[i].command);
		cg_buf_free(&feeders[i].err);
	}
	free(sources);
	free(feeders);
	return status;
}
