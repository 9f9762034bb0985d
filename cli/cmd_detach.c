/* SPDX-License-Identifier: Apache-2.0 */
/* ward detach: remove what killed tracers have left in a process. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "cli.h"
#include "limits.h"

static const char help[] =
	"usage: ward detach -p PID [OPTION]...\n"
	"Take off what killed tracers (SIGKILL, out of memory) have left in a process. The process runs right with\n"
	"that, but pays for probes whose results nobody reads. Code is restored from the files on disk,\n"
	"memory is freed. Probes of living tracers are shown and left alone.\n"
	"\n"
	"  -p, --pid PID        the process\n"
	"  --live               also take off probes of living tracers: these go on, and see nothing any more\n"
	"  --json               one object a line\n"
	"  -h, --help           this help\n"
	"\n"
	"exit status: 0 everything was taken off, 3 something is left, or the process can't be traced\n"
	"\n"
	"example: ward detach -p $(pgrep -n sqlite3)\n";

enum { OPTION_JSON = OPTION_OWN, OPTION_LIVE };

struct found {
	struct cli_output out;
	size_t n;
	bool live; /* asked for */
};

static const char *tracer_text(const struct ward_leftover *l)
{
	return l->copied ? "forked" : l->live ? "live" : "gone";
}

/* What became of its memory. */
static void memory_text(char *text, size_t size, const struct found *found, const struct ward_leftover *l)
{
	if (l->freed)
		snprintf(text, size, "%" PRIu64 " KiB freed", l->bytes / 1024);
	else if (!l->live)
		snprintf(text, size, "kept: %s", l->reason ? l->reason : "unknown");
	else
		snprintf(text, size, "%s", found->live ? "its tracer's to free" : "left alone");
}

static void print_row(struct found *found, const struct ward_leftover *l)
{
	char text[200];
	if (found->n == 1)
		printf("%-10s  %-7s  %8s  %8s  %s\n", "TRACER", "STATE", "PATCHES", "RESTORED", "MEMORY");
	memory_text(text, sizeof(text), found, l);
	printf("%-10" PRId64 "  %-7s  %8" PRIu32 "  %8" PRIu32 "  ", l->tracer, tracer_text(l), l->places, l->restored);
	cli_print_clean(stdout, text);
	putchar('\n');
}

static void print_object(struct found *found, const struct ward_leftover *l)
{
	struct json_object *o = json_object_new_object();
	json_object_object_add(o, "type", json_object_new_string("leftover"));
	json_object_object_add(o, "tracer", json_object_new_int64(l->tracer));
	json_object_object_add(o, "state", json_object_new_string(tracer_text(l)));
	json_object_object_add(o, "patches", json_object_new_int64(l->places));
	json_object_object_add(o, "restored", json_object_new_int64(l->restored));
	json_object_object_add(o, "bytes", json_object_new_int64((int64_t)l->bytes));
	json_object_object_add(o, "freed", json_object_new_boolean(l->freed));
	if (l->reason)
		json_object_object_add(o, "reason", cli_json_string(l->reason));
	cli_json_line(&found->out, o);
}

static void on_leftover(void *user, const struct ward_leftover *l)
{
	struct found *found = user;
	found->n++;
	if (found->out.json)
		print_object(found, l);
	else
		print_row(found, l);
}

static int clean_process(pid_t pid, bool live, bool json)
{
	struct found found = {.live = live};
	struct ward_cleanup_options options = {
		.size = sizeof(options), .live = live, .on_leftover = on_leftover, .user = &found};
	struct ward_error err = {0};
	cli_output_init(&found.out, stdout, json);
	int result = ward_cleanup(pid, &options, &err);
	if (found.n == 0 && result == WARD_OK && !json)
		printf("nothing of Ward's is left in process %d\n", (int)pid);
	return result == WARD_OK ? CLI_OK : cli_library_error(&err);
}

static int run_detach(int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"live", no_argument, NULL, OPTION_LIVE},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	const char *pid_text = NULL;
	bool json = false, live = false;
	pid_t pid;
	int c;
	while ((c = cli_getopt(&cmd_detach, argc, argv, ":p:h", longs)) != CLI_OPT_DONE) {
		switch (c) {
		case CLI_OPT_HELP: return CLI_OK;
		case 'p': pid_text = optarg; break;
		case OPTION_JSON: json = true; break;
		case OPTION_LIVE: live = true; break;
		default: return CLI_USAGE;
		}
	}
	if (!pid_text)
		return cli_usage(&cmd_detach, "no process given; use -p PID");
	if (argc > optind)
		return cli_usage(&cmd_detach, "it takes no arguments");
	int status = cli_pid(&cmd_detach, pid_text, &pid);
	return status == CLI_OK ? clean_process(pid, live, json) : status;
}

const struct cli_command cmd_detach = {
	"detach", "take off what a killed tracer has left in a process", help, run_detach};
