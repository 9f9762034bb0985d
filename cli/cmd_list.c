/* SPDX-License-Identifier: Apache-2.0 */
/* ward list: which functions of a process, or of the kernel, can be probed, and why the others can't. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "limits.h"

static const char help[] =
	"usage: ward list -p PID [OPTION]... [GLOB]\n"
	"       ward list --kernel [OPTION]... [GLOB]\n"
	"List the sites of a process that match a pattern, or all sites: functions, MODULE!FUNCTION,\n"
	"and static tracepoints, MODULE!:PROVIDER:NAME, with the places of their arguments. At the end it says how\n"
	"many of them can't be probed, and why.\n"
	"\n"
	"  -p, --pid PID        the process\n"
	"  --kernel             the running kernel: its functions, kernel!FUNCTION[:return], or its tracepoints\n"
	"                       and system calls, kernel:SUBSYSTEM:EVENT, with their arguments, where types are\n"
	"                       known (BTF). Needs root and tracefs, not the module `ward`\n"
	"  --json               one object a line\n"
	"  -h, --help           this help\n"
	"\n"
	"example: ward list -p $(pgrep -n sqlite3) 'libc.so.6!*read*'\n"
	"         ward list -p $(pgrep -n python3) '*!:*:*'\n"
	"         ward list --kernel 'kernel!vfs_*'\n"
	"         ward list --kernel 'kernel:sched:*'\n"
	"         ward list --kernel 'kernel:syscalls:sys_enter_*'\n";

enum { OPTION_JSON = OPTION_OWN, OPTION_KERNEL };

struct row {
	/* what is printed of it: method, with a tracepoint's arguments or those of the kernel's, or reason why not */
	char *site, *verdict;
	char *kind; /* what it is counted as: that method, or reason */
	uint64_t address;
	bool attachable;
};

struct table {
	struct cli_output out;
	struct row *rows;
	size_t n, room, attachable;
	bool out_of_memory;
};

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
	*row = (struct row){strdup(report->site), site_verdict(report), strdup(site_kind(report)), report->address,
		report->method != NULL};
	if (!row->site || !row->verdict || !row->kind) {
		free_row(row);
		table->out_of_memory = true;
		table->n--;
	}
}

static void print_table(struct table *table)
{
	enum { WIDEST = 60 };       /* longer names push their own line out of line */
	int width = 4, digits = 14; /* the kernel's addresses are longer */
	for (size_t i = 0; i < table->n; i++) {
		int len = (int)strlen(table->rows[i].site);
		width = len > width && len <= WIDEST ? len : width;
		digits = table->rows[i].address >> 48 ? 18 : digits;
	}
	if (table->n)
		printf("%-*s  %-*s  %s\n", width, "SITE", digits, "ADDRESS", "METHOD");
	for (size_t i = 0; i < table->n; i++) {
		struct row *row = &table->rows[i];
		int len = (int)strlen(row->site);
		cli_print_clean(stdout, row->site);
		char address[24] = "-";
		if (row->address)
			snprintf(address, sizeof(address), "%#" PRIx64, row->address);
		printf("%*s  %-*s  %s", len < width ? width - len : 0, "", digits, address,
			row->attachable ? "" : "no: ");
		cli_print_clean(stdout, row->verdict);
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

/* pid 0: the kernel. */
static int list_sites(pid_t pid, const char *glob, bool json)
{
	struct table table = {0};
	struct ward_error err = {0};
	int status = CLI_OK;
	cli_output_init(&table.out, stdout, json);
	if ((pid ? ward_list(pid, glob, collect_site, &table, &err)
		 : ward_list_kernel(glob, collect_site, &table, &err)) != WARD_OK)
		status = cli_library_error(&err);
	else if (table.out_of_memory)
		status = cli_error(CLI_USAGE, "list", "give a narrower pattern", "out of memory");
	else if (table.n == 0)
		status = cli_error(CLI_TARGET, glob ? glob : "process", "ward list -p PID without a pattern shows all",
			"no function matches");
	if (status == CLI_OK && !json) {
		print_table(&table);
		print_counts(&table);
	}
	for (size_t i = 0; table.rows && i < table.n; i++)
		free_row(&table.rows[i]);
	free(table.rows);
	return status;
}

static int run_list(int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"kernel", no_argument, NULL, OPTION_KERNEL},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	const char *pid_text = NULL;
	bool json = false, kernel = false;
	pid_t pid = 0;
	int c;
	while ((c = cli_getopt(&cmd_list, argc, argv, ":p:h", longs)) != CLI_OPT_DONE) {
		switch (c) {
		case CLI_OPT_HELP: return CLI_OK;
		case 'p': pid_text = optarg; break;
		case OPTION_KERNEL: kernel = true; break;
		case OPTION_JSON: json = true; break;
		default: return CLI_USAGE;
		}
	}
	if (!pid_text && !kernel)
		return cli_usage(&cmd_list, "no process given; use -p PID, or --kernel");
	if (pid_text && kernel)
		return cli_usage(&cmd_list, "--kernel can't be combined with -p PID: the target is the kernel");
	if (argc - optind > 1)
		return cli_usage(&cmd_list, "one pattern at a time; quote it against the shell");
	int status = kernel ? CLI_OK : cli_pid(&cmd_list, pid_text, &pid);
	return status == CLI_OK ? list_sites(pid, argv[optind], json) : status;
}

const struct cli_command cmd_list = {
	"list", "list the functions of a process or the kernel that can be probed", help, run_list};
