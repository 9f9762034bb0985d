/* Getting a module, from a source, an object or a file, and judging it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "codegen.h"
#include "tool/lines.h"
#include "tool/report.h"

/* What the diagnostics have said so far. Some have no place in the source and are complete errors of our own form. */
struct said {
	bool error, hint, header;    /* of missing headers */
	char missing[300];           /* the way out of what the front end found nowhere declared, or of another type, or "" */
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

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/* What declares it? The front end knows a function of <string.h> only where that is included, and of the system's no more than its headers. */
static const char *header_of(const char *name, bool is_type)
{
	static const char *const strings[] = {"memcpy", "mempcpy", "memmove", "memset", "bzero", "memcmp", "bcmp", "memchr", "strlen", "strnlen", "strcmp",
		"strncmp", "strchr", NULL};
	static const char *const imports[] = {"ward_read", "ward_read_str", "ward_match", "ward_clock", "ward_kernel_read", "ward_kernel_read_str", NULL};
	static const char *const types[] = {"ssize_t", "off_t", "pid_t", "mode_t", "time_t", "uid_t", "gid_t", NULL};
	static const char *const ours[] = {"ward_event", "ward_count", "ward_min", "ward_max", "ward_stat", "ward_stat_signed", "ward_log2", "ward_sample", "ward_rate", "ward_site", NULL};

	if (is_type)
		return is_one_of(name, types) ? "sys/types.h" : is_one_of(name, ours) ? "ward/probe.h" : NULL;
	return is_one_of(name, strings) ? "string.h" : is_one_of(name, imports) ? "ward/imports.h" : NULL;
}

/* Each header once, with the first name that it is missed for. */
static void miss(struct said *said, const char *header, const char *name)
{
	char in[40];
	size_t used = strlen(said->missing);

	snprintf(in, sizeof(in), "<%s>", header);
	if (!said->header)
		snprintf(said->missing, sizeof(said->missing), "#include %s, which declares %s", in, name);
	else if (!strstr(said->missing, in))
		snprintf(said->missing + used, sizeof(said->missing) - used, ", and %s, for %s", in, name);
	said->header = true;
}

/* One line of what the front end says. */
static void note_missing(struct said *said, const char *line, size_t length)
{
	static const char *const begin[] = {"call to undeclared function '", "unknown type name '", "declaration of 'struct "};
	char name[64] = "";

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
		const char *at = memmem(line, length, begin[i], strlen(begin[i]));
		if (!at)
			continue;
		sscanf(at + strlen(begin[i]), "%63[A-Za-z0-9_]", name);
		const char *header = header_of(name, i > 0);
		if (header)
			miss(said, header, name);
		else if (i == 0 && !*said->missing)
			snprintf(said->missing, sizeof(said->missing), "a probe can call functions of its own, of <ward/probe.h> and <ward/imports.h>, and some of <string.h>");
	}
}

/* What C takes for a matter of types, and what an author has to do about it. */
static void note_types(struct said *said, const char *text)
{
	if (strstr(text, "error: incompatible integer to pointer conversion"))
		snprintf(said->missing, sizeof(said->missing), "addresses of the target are numbers: where one is kept as a pointer, to be shown by its name, write (void *)ev->caller");
	else if (strstr(text, "error: brackets are not allowed here"))
		snprintf(said->missing, sizeof(said->missing), "a key or value that is an array goes into a struct: struct name { char text[16]; }");
	else if (strstr(text, "error: unknown type name 'u8'") || strstr(text, "error: unknown type name 'u16'") || strstr(text, "error: unknown type name 'u32'") || strstr(text, "error: unknown type name 'u64'"))
		snprintf(said->missing, sizeof(said->missing), "<ward/probe.h> has the names of C: uint8_t, uint16_t, uint32_t, uint64_t");
	else if (strstr(text, "error: invalid operands to binary expression") && strstr(text, "expanded from macro 'ward_map_add'"))
		snprintf(said->missing, sizeof(said->missing), "a map of something else than numbers: add to what ward_map_at(&st->map, key) points to, by that one's own function");
}

static void print_diagnostic(void *user, const char *text)
{
	struct said *said = user;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		note_missing(said, line, strcspn(line, "\n"));
	if (!*said->missing)
		note_types(said, text);
	said->error |= has_line(text, "ward: ");
	said->hint |= has_line(text, "hint: ");
	fflush(stdout);
	fputs(text, stderr);
}

/*
 * The result of ward_cc and ward_link as an exit status, with an error if the diagnostics didn't end in one. `unreadable` is the hint where
 * something couldn't be read or run.
 */
static int made(const char *path, int result, const struct said *said, const char *unreadable, struct ward_buf buf, struct cli_bytes *out)
{
	if (result == 0) {
		*out = (struct cli_bytes){.data = buf.data, .size = buf.size};
		return CLI_OK;
	}
	free(buf.data);
	int status = result == 1 ? CLI_REJECTED : CLI_USAGE;
	const char *hint = result != 1 ? unreadable : *said->missing ? said->missing : "mend the errors above";
	if (!said->error)
		return cli_error(status, path, hint, result == 1 ? "no probe could be made of it" : "could not be compiled");
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

static int compile(const char *path, const struct cli_make *make, const char **flags, size_t n_flags, struct cli_bytes *out)
{
	struct said said = {.guarded = make->guarded};
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
		.report = make->report ? print_report : NULL,
		.guarded = make->guarded ? keep_guarded : NULL,
		.diag = print_diagnostic,
		.user = &said,
	};
	struct ward_buf buf = {0};
	int result = ward_cc(path, &options, &buf);
	return made(path, result, &said, "see that clang-19 is installed, and ward with all its parts", buf, out);
}

/* Sources are read first, for our own errors on those that can't be, and to see whether one asks for the kernel's types. */
static int read_sources(const char *path, const struct cli_make *make, bool *types)
{
	*types = false;
	for (size_t i = 0; i <= make->n_more_sources; i++) {
		struct cli_bytes source;
		int status = cli_read_file(i ? make->more_sources[i - 1] : path, &source);
		if (status != CLI_OK)
			return status;
		*types |= make->kernel && cli_types_wanted(&source);
		free(source.data);
	}
	return CLI_OK;
}

int cli_compile(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	struct cli_types types = {.fd = -1};
	const char **flags = calloc(make->n_flags + 2, sizeof(*flags));
	size_t n_flags = 0;
	bool wanted;
	if (!flags)
		return cli_error(CLI_USAGE, path, "free some memory and try again", "out of memory");
	int status = read_sources(path, make, &wanted);
	if (status == CLI_OK && wanted && (status = cli_types_open(&types, make->btf)) == CLI_OK) {
		flags[n_flags++] = "-include";
		flags[n_flags++] = types.path;
	}
	for (size_t i = 0; i < make->n_flags; i++)
		flags[n_flags++] = make->flags[i];
	if (status == CLI_OK)
		status = compile(path, make, flags, n_flags, out);
	cli_types_close(&types);
	free(flags);
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
	return made(path, result, &said, "give an object file: what a compiler makes with -c", buf, out);
}

int cli_load_module(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	return cli_has_suffix(path, ".c") ? cli_compile(path, make, out) : cli_read_file(path, out);
}

/* A line of the source that was compiled just now, as the compiler's own messages show it. */
static void print_source(const char *path, unsigned number)
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
	}
	free(line);
	if (f)
		fclose(f);
}

/* Is a violation in the source itself, and not in what it includes? The module may be a stranger's: no other files are looked into for it. */
static bool is_of(const char *path, const struct report *r, size_t i)
{
	const char *file = r->lines && r->verdict->violations[i].pc ? r->lines[i].file : NULL;
	char *whole = file && cli_has_suffix(path, ".c") ? realpath(path, NULL) : NULL;
	bool same = whole && strcmp(file, whole) == 0;
	free(whole);
	return same;
}

static void print_violation(const char *path, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	const struct source_line *from = r->lines && v->pc ? &r->lines[i] : NULL;
	char line[1800], where[300], *detail = r->lines ? report_detail(r, i) : NULL;
	if (from && from->file)
		snprintf(where, sizeof(where), "%s:%u", is_of(path, r, i) ? path : lines_relative(from->file, r->directory), from->line);
	else if (v->pc && from && from->function)
		snprintf(where, sizeof(where), "%s:%s+0x%llx", path, from->function, (unsigned long long)from->into);
	else if (v->pc)
		snprintf(where, sizeof(where), "%s+%#llx", path, (unsigned long long)v->pc);
	else
		snprintf(where, sizeof(where), "%s", path);
	snprintf(line, sizeof(line), "%s: error: %s [%s %s]", where, detail && *detail ? detail : ward_rule_text(v->rule),
		ward_rule_number(v->rule), v->reason);
	cli_print_clean(stderr, line);
	fputc('\n', stderr);
	if (is_of(path, r, i) && !(i + 1 < r->shown && is_of(path, r, i + 1) && r->lines[i + 1].line == from->line))
		print_source(path, from->line);
	free(detail);
}

/* The way out of violation i, unless an earlier one had the same. */
static const char *new_hint(const struct report *r, size_t i, char *buf, size_t size)
{
	char other[100];
	const char *hint = report_hint_of(&r->verdict->violations[i], buf, size);
	for (size_t k = 0; k < i; k++) {
		if (strcmp(hint, report_hint_of(&r->verdict->violations[k], other, sizeof(other))) == 0)
			return NULL;
	}
	return hint;
}

/* With several ways out each stands below its violation, with one at the end. */
static const char *print_violations(const char *path, const struct report *r, char *buf, size_t size)
{
	const char *hint = NULL, *last = "ward-verify says more";
	size_t hints = 0;
	for (size_t i = 0; i < r->shown; i++)
		hints += new_hint(r, i, buf, size) != NULL;
	for (size_t i = 0; i < r->shown; i++) {
		print_violation(path, r, i);
		hint = new_hint(r, i, buf, size);
		if (hint && hints > 1)
			fprintf(stderr, "    hint: %s\n", hint);
	}
	if (hints == 1)
		last = report_hint_of(&r->verdict->violations[0], buf, size);
	return hints > 1 ? "mend the errors above" : last;
}

/* What is worth telling of the verdict. */
static int report_told(const char *path, const struct cli_bytes *module, const struct ward_verdict *verdict)
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
	return cli_error(
		CLI_REJECTED, path, hint, "rejected: %zu violation%s", verdict->n_violations, verdict->n_violations == 1 ? "" : "s");
}

int cli_report_rejection(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options, const struct ward_verdict *verdict)
{
	struct ward_verdict told = *verdict;
	struct ward_violation *kept = cli_tell(module, options, &told);
	int status = report_told(path, module, &told);
	free(kept);
	return status;
}

int cli_verify(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options, struct ward_verdict **out)
{
	struct ward_verdict *verdict = ward_verify(module->data, module->size, options);
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
