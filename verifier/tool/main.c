/* SPDX-License-Identifier: Apache-2.0 */
/* ward-verify: judges a module file and says why. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/file/module.h"
#include "report.h"

enum { ACCEPTED = 0, REJECTED = 1, UNUSABLE = 2 };

enum { MAX_FILE = (64 << 20) + 1 }; /* one byte more than a module may have: enough to be rejected by the verifier */

/* clang-format off */
static const char help[] =
	"Usage: ward-verify FILE [OPTION]...\n"
	"Prove on the machine code of a module that it is confined, or say why it isn't.\n"
	"No compiler is trusted: the verdict comes from FILE's bytes alone. FILE may be - for standard input.\n"
	"\n"
	"  --json            print the verdict as one JSON object\n"
	"  --sarif           print the violations as SARIF 2.1.0\n"
	"  --explain         print each instruction with what is known there\n"
	"  --max-insns N     reject if one run may take more than N instructions (default 4194304)\n"
	"  --max-stack N     reject if one run may use more than N bytes of stack (default and most: 4096)\n"
	"  --allow IMPORT    accept a module that calls the host's function IMPORT, or needs\n"
	"                    the processor's feature of that name (rdtsc); may be given again\n"
	"  --help            print this\n"
	"  --version         print the version\n"
	"\n"
	"Exit status: 0 accepted, 1 rejected, 2 wrong usage or unreadable file.\n"
	"\n"
	"Example:\n"
	"  ward cc reads.c -o reads.ward && ward-verify reads.ward --max-insns 500\n";
/* clang-format on */

struct request {
	const char *path;
	bool (*print)(FILE *out, const struct report *r);
	struct ward_verify_options options;
};

static int error_print(const char *what, const char *why, const char *hint)
{
	char *clean = text_clean(what);

	fprintf(stderr, "ward-verify: %s: %s\nhint: %s\n", clean ? clean : "?", why, hint);
	free(clean);
	return UNUSABLE;
}

/* A number of at least 1 and at most `most`. */
static bool parse_number(const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && *out >= 1 && *out <= most;
}

/* Returns -1 to go on, else the exit status. */
static int take_option(struct request *q, const char **allow, int option, const char *word)
{
	uint64_t n;

	switch (option) {
	case 'h': fputs(help, stdout); return ACCEPTED;
	case 'v': puts("ward-verify " WARD_VERIFY_VERSION " (module format 1, proof format 1)"); return ACCEPTED;
	case 'j': q->print = report_json; return -1;
	case 's': q->print = report_sarif; return -1;
	case 'e': q->print = report_explain; return -1;
	case 'i':
		if (!parse_number(optarg, UINT64_MAX, &q->options.max_insns))
			return error_print(
				"--max-insns", "not a number of instructions", "give a whole number of at least 1");
		return -1;
	case 'k':
		if (!parse_number(optarg, WARD_STACK_CEILING, &n))
			return error_print("--max-stack", "not a number of bytes that can be allowed",
				"give a whole number from 1 to 4096");
		q->options.max_stack = (uint32_t)n;
		return -1;
	case 'a': allow[q->options.n_allow++] = optarg; return -1;
	case ':': return error_print(word, "a value is missing", "ward-verify --help lists the options");
	default: return error_print(word, "no such option", "ward-verify --help lists the options");
	}
}

static int parse_options(struct request *q, const char **allow, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"sarif", no_argument, NULL, 's'},
		{"explain", no_argument, NULL, 'e'},
		{"max-insns", required_argument, NULL, 'i'},
		{"max-stack", required_argument, NULL, 'k'},
		{"allow", required_argument, NULL, 'a'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{0},
	};
	int option, status;

	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		status = take_option(q, allow, option, argv[optind > 1 ? optind - 1 : 1]);
		if (status >= 0)
			return status;
	}
	if (optind >= argc)
		return error_print("FILE", "no module was named", "ward-verify reads.ward");
	if (optind + 1 < argc)
		return error_print(argv[optind + 1], "one module at a time", "run ward-verify once for each file");
	q->path = argv[optind];
	return -1;
}

/* The whole file, malloc'd, at most MAX_FILE bytes of it. NULL and errno if it can't be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	uint8_t *data = NULL, *grown;
	size_t n = 0, room = 0;
	int error = 0;

	if (!f)
		return NULL;
	while (!error && n < MAX_FILE && !feof(f)) {
		if (n == room) {
			room = room ? 2 * room : 1 << 16;
			room = room > MAX_FILE ? MAX_FILE : room;
			grown = realloc(data, room);
			if (!grown) {
				error = ENOMEM;
				break;
			}
			data = grown;
		}
		errno = 0;
		n += fread(data + n, 1, room - n, f);
		if (ferror(f))
			error = errno ? errno : EIO;
	}
	if (f != stdin)
		fclose(f);
	if (error) {
		free(data);
		errno = error;
		return NULL;
	}
	*size = n;
	return data;
}

static int print_report(const struct request *q, const uint8_t *file, size_t size, const struct ward_verdict *verdict)
{
	size_t shown = verdict->n_violations < WARD_MAX_VIOLATIONS ? verdict->n_violations : WARD_MAX_VIOLATIONS;
	struct source_line *lines;
	struct wv_sink sink = {0};
	struct wv_module module;
	struct report r = {.path = q->path,
		.file = file,
		.size = size,
		.verdict = verdict,
		.options = &q->options,
		.shown = shown};
	bool ok;

	if (wv_module_parse(&module, file, size, 0, &sink))
		r.module = &module;
	lines = report_lines(file, size, verdict, shown);
	r.lines = lines;
	ok = lines && q->print(stdout, &r);
	report_lines_free(lines, shown);
	if (!ok)
		return error_print(q->path, "out of memory", "free some and try again");
	if (fflush(stdout) != 0 || ferror(stdout))
		return error_print("standard output", strerror(errno), "the verdict could not be printed");
	return verdict->accepted ? ACCEPTED : REJECTED;
}

static int request_run(const struct request *q)
{
	struct ward_verdict *verdict;
	size_t size = 0;
	uint8_t *file = read_file(q->path, &size);
	int status;

	if (!file)
		return error_print(q->path, strerror(errno), "ward-verify wants a module file, as `ward cc` writes it");
	verdict = ward_verify(file, size, &q->options);
	status = verdict ? print_report(q, file, size, verdict)
			 : error_print(q->path, "out of memory", "free some and try again");
	ward_verdict_free(verdict);
	free(file);
	return status;
}

int main(int argc, char **argv)
{
	struct request q = {.print = report_text, .options = {.size = sizeof q.options, .explain = 1}};
	const char **allow = calloc((size_t)argc + 1, sizeof *allow);
	int status;

	if (!allow)
		return error_print("start", "out of memory", "free some and try again");
	q.options.allow = allow;
	status = parse_options(&q, allow, argc, argv);
	if (status < 0)
		status = request_run(&q);
	free(allow);
	return status;
}
