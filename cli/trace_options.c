/* SPDX-License-Identifier: Apache-2.0 */
/* ward trace: its options, and which of them can be combined. */
#include "trace.h"
#include "cluster_command.h"

#include <stdlib.h>
#include <string.h>

const char trace_help[] =
	"usage: ward trace -p PID [OPTION]... PROBE\n"
	"       ward trace [OPTION]... PROBE -- COMMAND [ARGUMENT]...\n"
	"       ward trace --kernel [OPTION]... PROBE\n"
	"       ward trace -p PID --with-kernel PROBE [OPTION]... PROBE\n"
	"       ward trace --with-kernel PROBE [OPTION]... PROBE -- COMMAND [ARGUMENT]...\n"
	"       ward trace --cluster URL --creds FILE --process WHAT [OPTION]... PROBE\n"
	"Put a probe on functions of a live process, or of a command that Ward starts, and print what it found\n"
	"when the process ends, the time is over, or Ctrl-C is pressed. PROBE is a C source (.c) or a module.\n"
	"\n"
	"  -p, --pid PID        the process: its number, or its name if no other has that\n"
	"  --kernel             the running kernel: sites are kernel!FUNCTION[:return], tracepoints or system calls,\n"
	"                       kernel:SUBSYSTEM:EVENT, or a pattern; or samples, profile:HZ, interval:TIME or "
	"EVENT:N.\n"
	"                       Needs the kernel module `ward`, and root\n"
	"  --with-kernel PROBE  put this probe on the kernel, too, at its own sites. Records of both come in order of\n"
	"                       their member `time`. If both have a member `tid`, only kernel records of threads are\n"
	"                       shown that are in the process's records. With --ctf each has a directory in DIR\n"
	"  -f, --site SITE      MODULE!FUNCTION, or a tracepoint, MODULE!:PROVIDER:NAME, or a pattern of either, or "
	"an\n"
	"                       instruction, MODULE!FUNCTION+OFFSET or MODULE!0xADDRESS, instead of the probe's own\n"
	"                       sites; may be given several times\n"
	"  --follow             also probe the processes that it forks, and the programs that these become\n"
	"  --later              also probe libraries that it loads later (dlopen), and wait for missing ones\n"
	"  -d, --duration SEC   stop after that time\n"
	"  -o, --output FILE    write the results there instead of to standard output\n"
	"  --json               print one object a line\n"
	"  --records            print the records of rings as they come, one a line\n"
	"  -q, --quiet          don't say what was attached and skipped\n"
	"  -v, --verbose        name each site, however many there are\n"
	"  --cycles             show times as counts of the time stamp counter\n"
	"  --live               show on the terminal what there is so far, updated each second\n"
	"  --ctf DIR            write records of rings there, in the Common Trace Format (babeltrace2 DIR)\n"
	"  --ctf-version N      of that format: 1 (1.8, the default) or 2\n"
	"  --export FORMAT:FILE\n"
	"                       write a file for a viewer; may be given several times. Records become events for\n"
	"                       perfetto, chrome, firefox; entries of maps become stacks for pprof, folded, flame\n"
	"                       (one HTML page), firefox\n"
	"  -D NAME=VALUE        of a module: give a setting (a const volatile global) this value\n"
	"  -D, -U, -I, -W, --rounds N\n"
	"                       as for ward cc, for a source\n"
	"  --threads N          how many threads can have a state at a time (default 1024)\n" LIMIT_HELP CLUSTER_HELP
	"  -h, --help           this help\n"
	"\n"
	"example: ward trace -p $(pgrep -n sqlite3) -d 5 probes/reads.c\n"
	"         ward trace -p $(pgrep -n sqlite3) --with-kernel probes/kernel/steps.c probes/steps.c\n";

enum {
	OPTION_JSON = OPTION_OWN,
	OPTION_THREADS,
	OPTION_LIVE,
	OPTION_CTF,
	OPTION_KERNEL,
	OPTION_WITH_KERNEL,
	OPTION_FOLLOW,
	OPTION_LATER,
	OPTION_RECORDS,
	OPTION_CYCLES,
	OPTION_EXPORT,
	OPTION_CTF_VERSION
};

bool trace_keep_once(const struct cli_command *command, const char *option, const char **kept)
{
	if (*kept && strcmp(*kept, optarg) != 0) {
		cli_usage(command, "%s is given twice, as '%s' and '%s'; a trace has only one", option, *kept, optarg);
		return false;
	}
	*kept = optarg;
	return true;
}

bool trace_add_site(const struct cli_command *command, struct trace *t, const char *site)
{
	if (!t->site) {
		t->site = site;
		return true;
	}
	const char **more = realloc(t->more_sites, (t->n_more_sites + 1) * sizeof(*more));
	if (!more) {
		cli_usage(command, "out of memory");
		return false;
	}
	t->more_sites = more;
	t->more_sites[t->n_more_sites++] = site;
	return true;
}

static bool parse_option(struct trace *t, int c)
{
	uint64_t n;
	switch (c) {
	case 'p': return trace_keep_once(&cmd_trace, "--pid", &t->pid_text);
	case 'f': return trace_add_site(&cmd_trace, t, optarg);
	case 'q': t->quiet = true; return true;
	case 'v': t->verbose = true; return true;
	case 'd': return cli_seconds(&cmd_trace, "-d", optarg, &t->duration);
	case 'o': return trace_keep_once(&cmd_trace, "--output", &t->output);
	case 'D': return list_add(&t->settings, optarg) && front_option(&cmd_trace, c, optarg, &t->front);
	case 'U':
	case 'I':
	case 'W':
	case FRONT_ROUNDS: return front_option(&cmd_trace, c, optarg, &t->front);
	case OPTION_JSON: t->json = true; return true;
	case OPTION_LIVE: t->live = true; return true;
	case OPTION_CTF: return trace_keep_once(&cmd_trace, "--ctf", &t->ctf_path);
	case OPTION_CTF_VERSION:
		if (!cli_number(&cmd_trace, "--ctf-version", optarg, 1, 2, &n))
			return false;
		t->ctf_version = (unsigned)n;
		return true;
	case OPTION_EXPORT: return export_files_option(&cmd_trace, t->exports, optarg);
	case OPTION_KERNEL: t->kernel = true; return true;
	case OPTION_WITH_KERNEL: return trace_keep_once(&cmd_trace, "--with-kernel", &t->with_probe);
	case OPTION_FOLLOW: t->follow = true; return true;
	case OPTION_LATER: t->later = true; return true;
	case OPTION_CYCLES: t->cycles = true; return true;
	case OPTION_RECORDS: t->records = true; return true;
	case OPTION_THREADS:
		if (!cli_number(&cmd_trace, "--threads", optarg, 1, 1 << 20, &n))
			return false;
		t->max_threads = (uint32_t)n;
		return true;
	default:
		if (c < CLUSTER_OPTION_URL)
			return limits_option(&cmd_trace, c, optarg, &t->limits);
		t->on_cluster = true;
		return cluster_use_option(&cmd_trace, c, optarg, t->cluster);
	}
}

/* Check the options that a second probe, the kernel's, may have. Returns an exit status, or -1 to go on. */
static int check_both(const struct trace *t)
{
	if (t->with_probe && t->kernel)
		return cli_usage(&cmd_trace,
			"--with-kernel needs -p PID or -- COMMAND: with --kernel the kernel is the only target");
	if (t->with_probe && t->live)
		return cli_usage(&cmd_trace,
			"--with-kernel can't be combined with --live: the records of both are printed as they come");
	return -1;
}

static bool is_source(const char *probe)
{
	return probe && cli_has_suffix(probe, ".c");
}

/* Check which options are combined. Returns an exit status, or -1 to go on. */
static int check_usage(const struct trace *t, int words)
{
	if (words == 0)
		return cli_usage(&cmd_trace, "no probe given");
	if (words > 1)
		return cli_usage(&cmd_trace, "one probe at a time (`ward cc` makes one of several sources); a command "
					     "to start comes after --");
	if (t->pid_text && t->command)
		return cli_usage(&cmd_trace, "give either -p PID or -- COMMAND, not both");
	if (t->kernel && (t->pid_text || t->command || t->max_threads))
		return cli_usage(&cmd_trace,
			"--kernel can't be combined with -p PID, -- COMMAND or --threads: the target "
			"is the kernel, with a state for each processor");
	if (t->kernel && t->follow)
		return cli_usage(&cmd_trace, "--follow needs -p PID or -- COMMAND: the kernel has no children");
	if (t->later && t->kernel)
		return cli_usage(&cmd_trace, "--later needs -p PID or -- COMMAND; it can't be combined with --kernel");
	if (!t->pid_text && !t->command && !t->kernel)
		return cli_usage(&cmd_trace, "no target given: use -p PID, -- COMMAND or --kernel");
	if (t->quiet && t->verbose)
		return cli_usage(&cmd_trace, "use either -q or -v");
	if (t->live && t->json)
		return cli_usage(&cmd_trace, "use either --live, for people, or --json, for programs");
	if (t->ctf_version && !t->ctf_path)
		return cli_usage(&cmd_trace, "--ctf-version is of --ctf DIR");
	if (t->exports->n && t->ctf_path && export_files_take_events(t->exports))
		return cli_usage(&cmd_trace, "records can go to --ctf or to --export, not to both");
	if (t->exports->n && t->cycles)
		return cli_usage(&cmd_trace, "--export writes times, --cycles wants counts");
	if (t->records && (t->live || t->ctf_path))
		return cli_usage(&cmd_trace, "--records prints records as they come; it can't be combined with %s",
			t->live ? "--live, which draws" : "--ctf, which writes them");
	if (t->live && !cli_live_possible())
		return cli_usage(&cmd_trace, "--live draws on the terminal, but standard error is not a terminal");
	if (t->command && !t->command[0])
		return cli_usage(&cmd_trace, "no command after --");
	if (!is_source(t->probe) && !is_source(t->with_probe) &&
		(t->front.flags.n > t->settings.n || t->front.dirs.n || t->front.rounds))
		return cli_usage(&cmd_trace, "-U, -I, -W and --rounds are for sources, and '%s' is a module", t->probe);
	return check_both(t);
}

int trace_parse(struct trace *t, int argc, char **argv)
{
	static const struct option longs[] = {
		{"pid", required_argument, NULL, 'p'},
		{"site", required_argument, NULL, 'f'},
		{"duration", required_argument, NULL, 'd'},
		{"quiet", no_argument, NULL, 'q'},
		{"verbose", no_argument, NULL, 'v'},
		{"output", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"live", no_argument, NULL, OPTION_LIVE},
		{"ctf", required_argument, NULL, OPTION_CTF},
		{"ctf-version", required_argument, NULL, OPTION_CTF_VERSION},
		{"export", required_argument, NULL, OPTION_EXPORT},
		{"threads", required_argument, NULL, OPTION_THREADS},
		{"kernel", no_argument, NULL, OPTION_KERNEL},
		{"with-kernel", required_argument, NULL, OPTION_WITH_KERNEL},
		{"follow", no_argument, NULL, OPTION_FOLLOW},
		{"later", no_argument, NULL, OPTION_LATER},
		{"cycles", no_argument, NULL, OPTION_CYCLES},
		{"records", no_argument, NULL, OPTION_RECORDS},
		{"help", no_argument, NULL, 'h'},
		CLUSTER_LONGS,
		FRONT_LONGS,
		LIMIT_LONGS,
		{0},
	};
	t->command = cli_take_command(&argc, argv);
	for (;;) {
		int c = cli_getopt(&cmd_trace, argc, argv, ":p:f:d:o:D:U:I:W:qvh", longs);
		if (c == CLI_OPT_DONE)
			break;
		if (c == CLI_OPT_HELP)
			return CLI_OK;
		if (c == CLI_OPT_BAD || !parse_option(t, c))
			return CLI_USAGE;
	}
	t->probe = optind < argc ? argv[optind] : "";
	if (t->cluster && t->cluster->variants.n && !*t->probe) {
		t->cluster->only_variants = true;
		t->probe = cluster_variant_path(t->cluster->variants.at[0]);
	}
	if (t->on_cluster)
		return trace_cluster_check(t, argc - optind);
	t->cluster = NULL;
	int status = check_usage(t, argc - optind);
	if (status < 0 && t->pid_text && (status = cli_pid(&cmd_trace, t->pid_text, &t->pid)) == CLI_OK)
		status = -1;
	return status;
}
