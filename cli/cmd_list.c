/* SPDX-License-Identifier: Apache-2.0 */
/* ward list: which functions of a process, a file, a command or the kernel can be probed, and why the others can't. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "limits.h"
#include "ward/types.h"

static const char help[] =
	"usage: ward list -p PID [OPTION]... [GLOB]\n"
	"       ward list [OPTION]... FILE [GLOB]\n"
	"       ward list [OPTION]... [GLOB] -- COMMAND [ARGUMENT]...\n"
	"       ward list --kernel [OPTION]... [GLOB]\n"
	"List the sites of a process that match a pattern, or all sites: functions, MODULE!FUNCTION,\n"
	"and static tracepoints, MODULE!:PROVIDER:NAME, with the places of their arguments. At the end it says how\n"
	"many of them can't be probed, and why. FILE is a program or library on disk: its addresses are the file's\n"
	"own. COMMAND is started, listed with the libraries that it is linked with, and ended at its entry point.\n"
	"An instruction inside a function is listed by its name, MODULE!FUNCTION+OFFSET or MODULE!0xADDRESS.\n"
	"\n"
	"  -p, --pid PID        the process\n"
	"  --kernel             the running kernel: its functions, kernel!FUNCTION[:return], or its tracepoints\n"
	"                       and system calls, kernel:SUBSYSTEM:EVENT, with their arguments, where types are\n"
	"                       known (BTF). '*:*' lists by what samples can be taken, as profile:HZ. Needs root and\n"
	"                       tracefs, not the module `ward`\n"
	"  -f, --site GLOB      the pattern\n"
	"  -v, --verbose        all names of a function that has many; and with a pattern the parameters of "
	"functions,\n"
	"                       where the program has debug information\n"
	"  --json               one object a line\n"
	"  -h, --help           this help\n"
	"\n"
	"example: ward list -p $(pgrep -n sqlite3) 'libc.so.6!*read*'\n"
	"         ward list -p $(pgrep -n python3) '*!:*:*'\n"
	"         ward list /usr/bin/python3 '*!:*:*'\n"
	"         ward list 'libc!*read*' -- sqlite3\n"
	"         ward list --kernel 'kernel!vfs_*'\n"
	"         ward list --kernel 'kernel:sched:*'\n"
	"         ward list --kernel 'cache-*:N'\n"
	"         ward list --kernel 'kernel:syscalls:sys_enter_*'\n";

enum { OPTION_JSON = OPTION_OWN, OPTION_KERNEL };

struct row {
	/* what is printed of it: method, with a tracepoint's arguments or those of the kernel's, or reason why not */
	char *site, *verdict;
	char *kind; /* what it is counted as: that method, or reason */
	char *also; /* its other names, "" if it has none */
	char *version;
	uint64_t address;
	bool attachable;
};

struct table {
	struct cli_output out;
	struct row *rows;
	size_t n, room, attachable;
	bool out_of_memory, verbose;
};

/* Some functions have a hundred names, so without -v only the first few are shown. */
static char *other_names(const struct ward_site_report *report, bool verbose)
{
	enum { FEW = 3 };
	size_t n = verbose || report->n_aliases <= FEW + 1 ? report->n_aliases : FEW, size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? ", " : "; also ", report->aliases[i]);
	if (n < report->n_aliases)
		fprintf(f, " and %zu more", report->n_aliases - n);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static const char *site_kind(const struct ward_site_report *report)
{
	return report->method ? report->method : report->reason ? report->reason : "unknown";
}

static char *site_verdict(const struct ward_site_report *report)
{
	const char *verdict = site_kind(report);
	char *text;
	if (report->inlined && report->method)
		return asprintf(&text, "%s, and %" PRIu64 " inlined cop%s", verdict, report->inlined,
			       report->inlined == 1 ? "y" : "ies") < 0
			       ? NULL
			       : text;
	if (report->inlined)
		return asprintf(&text, "%s (%" PRIu64 " cop%s)", verdict, report->inlined,
			       report->inlined == 1 ? "y" : "ies") < 0
			       ? NULL
			       : text;
	if (report->chosen)
		return asprintf(&text, "%s (chosen at load time: %s)", verdict, report->chosen) < 0 ? NULL : text;
	if (!report->arguments || !*report->arguments)
		return strdup(verdict);
	return asprintf(&text, "%s (%s)", verdict, report->arguments) < 0 ? NULL : text;
}

static void free_row(struct row *row)
{
	free(row->site);
	free(row->verdict);
	free(row->kind);
	free(row->also);
	free(row->version);
}

static void collect_site(void *user, const struct ward_site_report *report)
{
	struct table *table = user;
	table->n++;
	table->attachable += report->method != NULL;
	if (table->out.json) {
		cli_json_site(&table->out, report, "site");
		return;
	}
	if (table->n > table->room) {
		size_t room = table->room ? 2 * table->room : 256;
		struct row *rows = reallocarray(table->rows, room, sizeof(*rows));
		if (!rows) {
			table->out_of_memory = true;
			table->n--;
			return;
		}
		table->rows = rows;
		table->room = room;
	}
	struct row *row = &table->rows[table->n - 1];
	*row = (struct row){strdup(report->site), site_verdict(report), strdup(site_kind(report)),
		other_names(report, table->verbose), strdup(report->version ? report->version : ""), report->address,
		report->method != NULL};
	if (!row->site || !row->verdict || !row->kind || !row->also || !row->version) {
		free_row(row);
		table->out_of_memory = true;
		table->n--;
	}
}

/* A text, and blanks up to the width. What is longer pushes its own line out of line. */
static void print_cell(const char *text, int width)
{
	int len = (int)strlen(text);
	cli_print_clean(stdout, text);
	printf("%*s  ", len < width ? width - len : 0, "");
}

static int wider(int width, const char *text, int widest)
{
	int len = (int)strlen(text);
	return len > width && len <= widest ? len : width;
}

/* The column of versions is there if any site has one. */
static void print_table(struct table *table)
{
	enum { WIDEST = 60, WIDEST_VERSION = 20 };
	int width = 4, digits = 14, version = 0; /* the kernel's addresses are longer */
	for (size_t i = 0; i < table->n; i++) {
		width = wider(width, table->rows[i].site, WIDEST);
		version = *table->rows[i].version ? wider(version ? version : 7, table->rows[i].version, WIDEST_VERSION)
						  : version;
		digits = table->rows[i].address >> 48 ? 18 : digits;
	}
	if (table->n)
		printf("%-*s  %-*s  %-*s%sMETHOD\n", width, "SITE", digits, "ADDRESS", version,
			version ? "VERSION" : "", version ? "  " : "");
	for (size_t i = 0; i < table->n; i++) {
		struct row *row = &table->rows[i];
		char address[24] = "-";
		if (row->address)
			snprintf(address, sizeof(address), "%#" PRIx64, row->address);
		print_cell(row->site, width);
		print_cell(address, digits);
		if (version)
			print_cell(row->version, version);
		fputs(row->attachable ? "" : "no: ", stdout);
		cli_print_clean(stdout, row->verdict);
		cli_print_clean(stdout, row->also);
		putchar('\n');
	}
	printf("%zu site%s: %zu can be probed, %zu can't\n", table->n, table->n == 1 ? "" : "s", table->attachable,
		table->n - table->attachable);
}

static int by_kind(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->attachable != y->attachable ? y->attachable - x->attachable : strcmp(x->kind, y->kind);
}

/* How many there are of each kind, where there are several. Puts the rows in their order. */
static void print_counts(struct table *table)
{
	size_t end;
	qsort(table->rows, table->n, sizeof(*table->rows), by_kind);
	if (by_kind(&table->rows[0], &table->rows[table->n - 1]) == 0)
		return;
	for (size_t i = 0; i < table->n; i = end) {
		for (end = i; end < table->n && by_kind(&table->rows[i], &table->rows[end]) == 0; end++)
			;
		printf("%8zu  %s", end - i, table->rows[i].attachable ? "" : "no: ");
		cli_print_clean(stdout, table->rows[i].kind);
		putchar('\n');
	}
}

/* Whose sites: one of these is set. */
struct target {
	bool kernel;
	char *const *command;
	const char *file, *pid_text;
	pid_t pid;
};

static int call_library(const struct target *t, const char *glob, struct table *table, struct ward_error *err)
{
	if (t->kernel)
		return ward_list_kernel(glob, collect_site, table, err);
	if (t->command)
		return ward_list_command(t->command, glob, collect_site, table, err);
	if (t->file)
		return ward_list_file(t->file, glob, collect_site, table, err);
	return ward_list(t->pid, glob, collect_site, table, err);
}

static int read_types(const struct target *t, const char *glob, struct ward_types **types)
{
	if (t->command)
		return ward_types_read_command(t->command, &glob, 1, types, NULL);
	if (t->file)
		return ward_types_read_file(t->file, &glob, 1, types, NULL);
	return ward_types_read(t->pid, &glob, 1, types, NULL);
}

static int by_site(const void *a, const void *b)
{
	const struct ward_function_types *const *x = a, *const *y = b;

	return strcmp((*x)->site, (*y)->site);
}

/* "jump (int fd, void *buf)" */
static char *with_parameters(const char *verdict, const struct ward_types *types, const struct ward_function_types *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s (%s", verdict, f->n ? "" : "void");
	for (uint32_t i = 0; i < f->n; i++)
		fprintf(out, "%s%s", i ? ", " : "", types->parameters[f->first + i].declaration);
	fputc(')', out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Functions of which debug information is there get their parameters; the others stay as they are. */
static void add_parameters(const struct target *t, const char *glob, struct table *table)
{
	const struct ward_function_types **sorted = NULL;
	struct ward_types *types = NULL;

	if (read_types(t, glob, &types) == WARD_OK)
		sorted = calloc(types->n_functions + 1, sizeof(*sorted));
	for (size_t i = 0; sorted && i < types->n_functions; i++)
		sorted[i] = &types->functions[i];
	if (sorted && types->n_functions)
		qsort(sorted, types->n_functions, sizeof(*sorted), by_site);
	for (size_t i = 0; sorted && types->n_functions && i < table->n; i++) {
		struct row *row = &table->rows[i];
		const struct ward_function_types key = {.site = row->site}, *wanted = &key, **found;
		char *text;

		found = bsearch(&wanted, sorted, types->n_functions, sizeof(*sorted), by_site);
		if (!found || (*found)->why || !row->attachable)
			continue;
		text = with_parameters(row->verdict, types, *found);
		if (!text)
			break;
		free(row->verdict);
		row->verdict = text;
	}
	free(sorted);
	ward_types_free(types);
}

static int list_sites(const struct target *t, const char *glob, bool json, bool verbose)
{
	struct table table = {.verbose = verbose};
	struct ward_error err = {0};
	int status = CLI_OK;
	cli_output_init(&table.out, stdout, json);
	if (call_library(t, glob, &table, &err) != WARD_OK)
		status = cli_library_error(&err);
	else if (table.out_of_memory)
		status = cli_error(CLI_USAGE, "list", "give a narrower pattern", "out of memory");
	else if (table.n == 0)
		status = cli_error(CLI_TARGET,
			glob      ? glob
			: t->file ? t->file
				  : "process",
			"ward list without a pattern shows all", "no function matches");
	if (status == CLI_OK && !json && verbose && glob && !t->kernel)
		add_parameters(t, glob, &table);
	if (status == CLI_OK && !json) {
		print_table(&table);
		print_counts(&table);
	}
	for (size_t i = 0; table.rows && i < table.n; i++)
		free_row(&table.rows[i]);
	free(table.rows);
	return status;
}

/* The words that are no options: the file, if there is no other target, and the pattern. Returns an exit status. */
static int take_words(struct target *t, const char **glob, char **word, int n)
{
	if (t->pid_text && t->kernel)
		return cli_usage(&cmd_list, "--kernel can't be combined with -p PID: the target is the kernel");
	if (t->command && (t->pid_text || t->kernel))
		return cli_usage(&cmd_list, "give either -p PID, --kernel or -- COMMAND, not both");
	if (t->command && !t->command[0])
		return cli_usage(&cmd_list, "no command after --");
	if (!t->pid_text && !t->kernel && !t->command) {
		/* a pattern that is taken for a file would be a riddle */
		if (n == 0 || (n == 1 && strchr(word[0], '!') && access(word[0], F_OK) != 0))
			return cli_usage(&cmd_list, "no target given: use -p PID, FILE, -- COMMAND or --kernel");
		t->file = *word++;
		n--;
	}
	if (n + (*glob != NULL) > 1)
		return cli_usage(&cmd_list, "one pattern at a time; quote it against the shell");
	*glob = n ? word[0] : *glob;
	return t->pid_text ? cli_pid(&cmd_list, t->pid_text, &t->pid) : CLI_OK;
}

static int run_list(int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"site", required_argument, NULL, 'f'},
		{"verbose", no_argument, NULL, 'v'},
		{"kernel", no_argument, NULL, OPTION_KERNEL},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct target target = {.command = cli_take_command(&argc, argv)};
	const char *glob = NULL;
	bool json = false, verbose = false;
	int c;
	while ((c = cli_getopt(&cmd_list, argc, argv, ":p:f:vh", longs)) != CLI_OPT_DONE) {
		switch (c) {
		case CLI_OPT_HELP: return CLI_OK;
		case 'p': target.pid_text = optarg; break;
		case 'f':
			if (glob)
				return cli_usage(&cmd_list, "one pattern at a time; quote it against the shell");
			glob = optarg;
			break;
		case OPTION_KERNEL: target.kernel = true; break;
		case OPTION_JSON: json = true; break;
		case 'v': verbose = true; break;
		default: return CLI_USAGE;
		}
	}
	int status = take_words(&target, &glob, argv + optind, argc - optind);
	return status == CLI_OK ? list_sites(&target, glob, json, verbose) : status;
}

const struct cli_command cmd_list = {
	"list", "list the functions of a process, a file or the kernel that can be probed", help, run_list};
