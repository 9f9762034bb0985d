/* Getting a module, from a source, an object or a file, and judging it. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "codegen.h"
#include "tool/lines.h"
#include "tool/report.h"

static void print_diagnostic(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

/* The status of ward_cc and ward_link as an exit status; the diagnostics have been printed. */
static int made(const char *path, int result, struct ward_buf buf, struct cli_bytes *out)
{
	if (result == 0) {
		*out = (struct cli_bytes){ .data = buf.data, .size = buf.size };
		return CLI_OK;
	}
	free(buf.data);
	if (result == 1)
		return cli_error(CLI_REJECTED, path, "mend the errors above", "no probe could be made of it");
	return cli_error(CLI_USAGE, path, "the messages above say what is missing", "could not be compiled");
}

int cli_compile(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	struct cli_bytes source; /* read first for our own errors on files that can't be */
	int status = cli_read_file(path, &source);
	if (status != CLI_OK)
		return status;
	free(source.data);
	struct ward_cc_options options = {
		.include_dirs = make->include_dirs,
		.n_include_dirs = make->n_include_dirs,
		.defines = make->defines,
		.n_defines = make->n_defines,
		.kernel = make->kernel,
		.diag = print_diagnostic,
	};
	struct ward_buf buf = { 0 };
	int result = ward_cc(path, &options, &buf);
	return made(path, result, buf, out);
}

int cli_link_object(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	struct cli_bytes object;
	int status = cli_read_file(path, &object);
	if (status != CLI_OK)
		return status;
	struct ward_link_options options = {
		.name = path,
		.kernel = make->kernel,
		.state_size = make->state_size,
		.diag = print_diagnostic,
	};
	struct ward_buf buf = { 0 };
	int result = ward_link(object.data, object.size, &options, &buf);
	free(object.data);
	return made(path, result, buf, out);
}

int cli_load_module(const char *path, const struct cli_make *make, struct cli_bytes *out)
{
	return cli_has_suffix(path, ".c") ? cli_compile(path, make, out) : cli_read_file(path, out);
}

static void print_violation(const char *path, const struct source_line *from, const struct ward_violation *v)
{
	char line[1024], where[300];
	if (from && from->file)
		snprintf(where, sizeof(where), "%s:%u", from->file, from->line);
	else if (v->pc)
		snprintf(where, sizeof(where), "%s+%#llx", path, (unsigned long long)v->pc);
	else
		snprintf(where, sizeof(where), "%s", path);
	snprintf(line, sizeof(line), "%s: error: %s [%s %s]", where, v->detail && *v->detail ? v->detail : ward_rule_text(v->rule),
		ward_rule_number(v->rule), v->reason);
	cli_print_clean(stderr, line);
	fputc('\n', stderr);
}

int cli_report_rejection(const char *path, const struct cli_bytes *module, const struct ward_verdict *verdict)
{
	size_t shown = verdict->n_violations < WARD_MAX_VIOLATIONS ? verdict->n_violations : WARD_MAX_VIOLATIONS;
	uint64_t pcs[WARD_MAX_VIOLATIONS] = { 0 };
	for (size_t i = 0; i < shown; i++)
		pcs[i] = verdict->violations[i].pc;
	struct source_line *lines = lines_find(module->data, module->size, pcs, shown);
	fflush(stdout);
	for (size_t i = 0; i < shown; i++)
		print_violation(path, lines && pcs[i] ? &lines[i] : NULL, &verdict->violations[i]);
	if (lines)
		lines_free(lines, shown);
	const char *hint = shown ? report_hint(verdict->violations[0].rule) : "ward-verify says more";
	return cli_error(CLI_REJECTED, path, hint, "rejected: %zu violation%s", verdict->n_violations, verdict->n_violations == 1 ? "" : "s");
}

int cli_verify(const char *path, const struct cli_bytes *module, const struct ward_verify_options *options, struct ward_verdict **out)
{
	struct ward_verdict *verdict = ward_verify(module->data, module->size, options);
	*out = NULL;
	if (!verdict)
		return cli_error(CLI_USAGE, path, "free some memory and try again", "out of memory");
	if (!verdict->accepted) {
		int status = cli_report_rejection(path, module, verdict);
		ward_verdict_free(verdict);
		return status;
	}
	*out = verdict;
	return CLI_OK;
}
