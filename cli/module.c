/* SPDX-License-Identifier: Apache-2.0 */
/* Get a module from a source, an object or a file, verify it, and report violations. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"
#include "codegen/codegen.h"
#include "verifier/tool/lines.h"
#include "verifier/tool/report.h"

/* What the diagnostics have said so far. Some have no place in the source and are complete errors of our own form. */
struct said {
	bool error, hint;
	struct cli_hints hints;      /* on what the front end said */
	struct cli_guarded *guarded; /* or NULL */
};

static bool has_line(const char *text, const char *start)
{
	size_t n = strlen(start);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, start, n) == 0)
			return true;
	}
	return false;
}

static void print_diagnostic(void *user, const char *text)
{
	struct said *said = user;
	said->error |= has_line(text, "ward: ");
	said->hint |= has_line(text, "hint: ");
	fflush(stdout);
	cli_hints_print(&said->hints, text, stderr);
}

/*
 * The result of ward_cc and ward_link as an exit status, with an error if the diagnostics didn't end in one.
 * `unreadable` is the hint where something couldn't be read or run.
 */
static int status_of(const char *path, int result, const struct said *said, const char *unreadable, struct ward_buf buf,
	struct cli_bytes *out)
{
	if (result == 0) {
		*out = (struct cli_bytes){.data = buf.data, .size = buf.size};
		return CLI_OK;
	}
	free(buf.data);
	int status = result == 1 ? CLI_REJECTED : CLI_USAGE;
	const char *known = cli_hints_last(&said->hints), *hint = result != 1 ? unreadable
								  : known     ? known
									      : "correct the errors above";
	if (!said->error)
		return cli_error(
			status, path, hint, result == 1 ? "no probe could be made of it" : "could not be compiled");
	if (!said->hint)
		fprintf(stderr, "hint: %s\n", hint);
	return status;
}

static void print_report(void *user, const char *text)
{
	(void)user;
	fputs(text, stdout);
}

static void keep_guarded(void *user, const struct ward_guarded *rows, size_t n)
{
	struct said *said = user;
	cli_keep_guarded(said->guarded, rows, n);
}

static int source_compile(
	const char *path, const struct cli_make *make, const char **flags, size_t n_flags, struct cli_bytes *out)
{
	struct said said = {.hints.kernel = make->kernel, .guarded = make->guarded};
	struct ward_cc_options options = {
		.include_dirs = make->include_dirs,
		.n_include_dirs = make->n_include_dirs,
		.flags = flags,
		.n_flags = n_flags,
		.maps = make->maps,
		.n_maps = make->n_maps,
		.more_sources = make->more_sources,
		.n_more_sources = make->n_more_sources,
		.kernel = make->kernel,
		.limits = make->limits,
		.guards = (enum ward_guards)make->guards,
		.rounds = make->rounds,
		.report = make->report ? print_report : NULL,
		.guarded = make->guarded ? keep_guarded : NULL,
		.diag = print_diagnostic,
		.user = &said,
	};
	struct ward_buf buf = {0};
	int result = ward_cc(path, &options, &buf);
	int status =
		status_of(path, result, &said, "see that clang-19 is installed, and ward with all its parts", buf, out);
	cli_hints_free(&said.hints);
	return status;
}

/*
 * Sources are read first, for our own errors on those that can't be, and to see whether one asks for the kernel's
 * types.
 */
static int read_sources(const char *path, const struct cli_make *make, struct cli_wanted *wanted)
{
	for (size_t i = 0; i <= make->n_more_sources; i++) {
		const char *name = i ? make->more_sources[i - 1] : path;
		struct cli_bytes source;
		int status = cli_read_file(name, &source);
		if (status != CLI_OK)
			return status;
		if (make->kernel)
			status = cli_types_wanted(name, &source, wanted);
		free(source.data);
		if (status != CLI_OK)
			return status;
	}
	return CLI_OK;
}

int cli_compile(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	struct cli_types types = {.fd = -1};
	const char **flags = calloc(make->n_flags + 2, sizeof(*flags));
	size_t n_flags = 0;
	struct cli_wanted wanted = {0};
	if (!flags)
		return cli_error(CLI_USAGE, path, "free some memory and try again", "out of memory");
	int status = read_sources(path, make, &wanted);
	if (status == CLI_OK && wanted.kernel && (status = cli_types_open(&types, make->btf, &wanted)) == CLI_OK) {
		flags[n_flags++] = "-include";
		flags[n_flags++] = types.path;
	}
	for (size_t i = 0; i < make->n_flags; i++)
		flags[n_flags++] = make->flags[i];
	if (status == CLI_OK)
		status = source_compile(path, make, flags, n_flags, out);
	cli_types_close(&types);
	free(flags);
	return status;
}

static bool write_text(int fd, const char *text)
{
	for (size_t n = strlen(text); n > 0;) {
		ssize_t done = write(fd, text, n);
		if (done <= 0)
			return false;
		text += done;
		n -= (size_t)done;
	}
	return true;
}

/* The compiler reads it by the number of our file, which ends with us. */
int cli_compile_text(const char *name, const char *text, const struct cli_make *make, struct cli_bytes *out)
{
	char path[40], map[60];
	const char *const maps[] = {map};
	struct cli_make made = *make;
	int fd = memfd_create("ward_source.c", 0), status; /* clang has it as well */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(map, sizeof(map), "/proc/%d/fd/=/%s/", (int)getpid(), name);
	made.maps = maps;
	made.n_maps = 1;
	if (fd >= 0 && write_text(fd, text))
		status = cli_compile(path, &made, out);
	else
		status = cli_error(CLI_USAGE, name, "free some memory and try again", "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

int cli_link_object(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	struct cli_bytes object;
	int status = cli_read_file(path, &object);
	if (status != CLI_OK)
		return status;
	struct said said = {0};
	struct ward_link_options options = {
		.name = path,
		.kernel = make->kernel,
		.state_size = make->state_size,
		.diag = print_diagnostic,
		.user = &said,
	};
	struct ward_buf buf = {0};
	int result = ward_link(object.data, object.size, &options, &buf);
	free(object.data);
	status = status_of(path, result, &said, "give an object file: what a compiler makes with -c", buf, out);
	cli_hints_free(&said.hints);
	return status;
}

int cli_load_module(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	if (!cli_has_suffix(path, ".c"))
		return cli_read_file(path, out);
	int status = cli_compile(path, make, out);
	return status == CLI_OK ? cli_warn_of_unshown(path, make, out) : status;
}

/* Below a line of the source, the place in it. A tab is shown as one blank. */
static void print_caret(const char *line, size_t length, unsigned column)
{
	if (column == 0 || column > length)
		return;
	fputs("      | ", stderr);
	for (unsigned i = 0; i + 1 < column; i++)
		if (((unsigned char)line[i] & 0xc0) != 0x80) /* one for each character */
			fputc(' ', stderr);
	fputs("^\n", stderr);
}

void cli_print_source(const char *path, unsigned number, unsigned column)
{
	char *line = NULL, text[240];
	size_t size = 0;
	FILE *f = fopen(path, "r");
	ssize_t n = f ? 0 : -1;
	for (unsigned i = 0; i < number && n >= 0; i++)
		n = getline(&line, &size, f);
	if (n > 0) {
		line[strcspn(line, "\r\n")] = 0;
		snprintf(text, sizeof(text), "%5u | %s", number, line);
		cli_print_clean(stderr, text);
		fputc('\n', stderr);
		print_caret(line, strlen(text) < sizeof(text) - 1 ? strlen(line) : 0, column);
	}
	free(line);
	if (f)
		fclose(f);
}

/*
 * Is a violation in the source itself, and not in what it includes? The module may be a stranger's: no other files are
 * looked into for it.
 */
static bool is_of(const char *path, const struct report *r, size_t i)
{
	const char *file = r->lines && r->verdict->violations[i].pc ? r->lines[i].file : NULL;
	char *whole = file && cli_has_suffix(path, ".c") ? realpath(path, NULL) : NULL;
	bool same = whole && strcmp(file, whole) == 0;
	free(whole);
	return same;
}

/* A file of the debug information, as the user wrote it if it is the source itself. */
static const char *name_of(const char *path, const struct report *r, const char *file)
{
	char *whole = cli_has_suffix(path, ".c") ? realpath(path, NULL) : NULL;
	bool same = whole && strcmp(file, whole) == 0;
	free(whole);
	return same ? path : lines_relative(file, r->directory);
}

/* The calls that a loop was inlined for: one function has it, and each call its own. */
static void print_calls(const char *path, const struct report *r, size_t i)
{
	enum ward_rule rule = r->verdict->violations[i].rule;
	const struct source_line *at = r->lines && r->verdict->violations[i].pc ? &r->lines[i] : NULL;
	if (!at || at->n_calls == 0 || (rule != WARD_RULE_COST && rule != WARD_RULE_RANK))
		return;
	fputs("    inlined into ", stderr);
	for (size_t k = 0; k < at->n_calls; k++) {
		cli_print_clean(stderr, name_of(path, r, at->calls[k].file));
		fprintf(stderr, ":%u", at->calls[k].line);
		if (at->calls[k].column)
			fprintf(stderr, ":%u", at->calls[k].column);
		fputs(k + 1 < at->n_calls ? ", " : "\n", stderr);
	}
}

/* What is said of violation i, to be freed; or NULL. */
static char *violation_line(const char *path, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	const struct source_line *from = r->lines && v->pc ? &r->lines[i] : NULL;
	char *line = NULL, where[300], column[16] = "", *detail = r->lines ? report_detail(r, i) : NULL;
	if (from && from->column)
		snprintf(column, sizeof(column), ":%u", from->column);
	if (from && from->file)
		snprintf(where, sizeof(where), "%s:%u%s", name_of(path, r, from->file), from->line, column);
	else if (v->pc && from && from->function)
		snprintf(where, sizeof(where), "%s:%s+0x%llx", path, from->function, (unsigned long long)from->into);
	else if (v->pc)
		snprintf(where, sizeof(where), "%s+%#llx", path, (unsigned long long)v->pc);
	else
		snprintf(where, sizeof(where), "%s", path);
	if (asprintf(&line, "%s: error: %s [%s %s]", where, detail && *detail ? detail : ward_rule_text(v->rule),
		    ward_rule_number(v->rule), v->reason) < 0)
		line = NULL;
	free(detail);
	return line;
}

/*
 * Does another one say the same of the line? One expression of the source may break a rule in many instructions: it is
 * said once.
 */
static size_t same_lines(char *const *lines, size_t n, size_t i)
{
	size_t same = 0;
	for (size_t k = 0; k < n; k++) {
		bool equal = lines[i] && lines[k] && strcmp(lines[i], lines[k]) == 0;
		if (equal && k < i)
			return 0;
		same += equal;
	}
	return same ? same : 1;
}

/* With its place in the source, unless the next one that is shown has the same. */
static void print_violation(const char *path, const struct report *r, char *const *lines, size_t i, size_t times)
{
	size_t next = i + 1;
	while (next < r->shown && !same_lines(lines, r->shown, next))
		next++;
	cli_print_clean(stderr, lines[i] ? lines[i] : "(no memory to show this)");
	if (times > 1)
		fprintf(stderr, " (%zu times)", times);
	fputc('\n', stderr);
	if (is_of(path, r, i) && !(next < r->shown && is_of(path, r, next) && r->lines[next].line == r->lines[i].line &&
					 r->lines[next].column == r->lines[i].column))
		cli_print_source(path, r->lines[i].line, r->lines[i].column);
	print_calls(path, r, i);
}

/*
 * The ways out of the first n violations, that of each in a string of its own; NULL where an earlier one had the same.
 * There are few that differ.
 */
static void new_hints(const struct report *r, char **hints, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char buf[100];
		const char *hint = report_hint_of(&r->verdict->violations[i], buf, sizeof(buf));
		size_t k = 0;
		while (k < i && !(hints[k] && strcmp(hints[k], hint) == 0))
			k++;
		hints[i] = k == i ? strdup(hint) : NULL;
	}
}

/* With several ways out each stands below its violation, with one at the end. */
static const char *print_violations(const char *path, const struct report *r, char *buf, size_t size)
{
	const char *last = "ward-verify says more";
	size_t hints = 0;
	char **lines = calloc(r->shown + 1, sizeof(*lines)), **new = calloc(r->shown + 1, sizeof(*new));
	if (new)
		new_hints(r, new, r->shown);
	for (size_t i = 0; new && i < r->shown; i++)
		hints += new[i] != NULL;
	for (size_t i = 0; lines && i < r->shown; i++)
		lines[i] = violation_line(path, r, i);
	for (size_t i = 0; lines && i < r->shown; i++) {
		size_t times = same_lines(lines, r->shown, i);
		if (!times)
			continue;
		print_violation(path, r, lines, i, times);
		if (new && new[i] && hints > 1)
			fprintf(stderr, "    hint: %s\n", new[i]);
	}
	for (size_t i = 0; i < r->shown; i++) {
		if (lines)
			free(lines[i]);
		if (new)
			free(new[i]);
	}
	free(lines);
	free(new);
	if (hints == 1)
		last = report_hint_of(&r->verdict->violations[0], buf, size);
	return hints > 1 ? "correct the errors above" : last;
}

/* What is worth telling of the verdict. */
static int report_violations(const char *path, const struct cli_bytes *module, const struct ward_verdict *verdict)
{
	size_t shown = verdict->n_violations < WARD_MAX_VIOLATIONS ? verdict->n_violations : WARD_MAX_VIOLATIONS;
	struct source_line *lines = report_lines(module->data, module->size, verdict, shown);
	char *directory = getcwd(NULL, 0);
	struct report report = {.path = path,
		.file = module->data,
		.size = module->size,
		.verdict = verdict,
		.shown = shown,
		.directory = directory,
		.lines = lines};
	fflush(stdout);
	char buf[100];
	const char *hint = print_violations(path, &report, buf, sizeof(buf));
	free(directory);
	if (lines)
		report_lines_free(lines, shown);
	return cli_error(CLI_REJECTED, path, hint, "rejected: %zu violation%s", verdict->n_violations,
		verdict->n_violations == 1 ? "" : "s");
}

int cli_report_rejection(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options,
	const struct ward_verdict *verdict)
{
	struct ward_verdict reported = *verdict;
	struct ward_violation *kept = cli_drop_stack_followups(module, options, &reported);
	int status = report_violations(path, module, &reported);
	free(kept);
	return status;
}

int cli_verify(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options,
	struct ward_verdict **out)
{
	struct ward_verify_options explained = *options;
	explained.explain = 1;
	struct ward_verdict *verdict = ward_verify(module->data, module->size, &explained);
	*out = NULL;
	if (!verdict)
		return cli_error(CLI_USAGE, path, "free some memory and try again", "out of memory");
	if (!verdict->accepted) {
		int status = cli_report_rejection(path, module, options, verdict);
		ward_verdict_free(verdict);
		return status;
	}
	*out = verdict;
	return CLI_OK;
}
