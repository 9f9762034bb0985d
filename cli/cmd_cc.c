/* SPDX-License-Identifier: Apache-2.0 */
/* ward cc: compile a probe in C to a proven module. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "codegen/codegen.h"
#include "limits.h"

static const char help[] =
	"usage: ward cc [OPTION]... PROBE.c...\n"
	"Compile a probe, prove it, and write the module. A module that can't be proven is not written. Several files\n"
	"make one module, with one state.\n"
	"\n"
	"  -o FILE              write the module there (default: PROBE.ward in this directory)\n" FRONT_HELP ROUNDS_HELP
	"  --profile PROFILE    user (default) or kernel\n"
	"  --btf FILE           types for <ward/kernel.h> of another kernel than the running one: a copy of its\n"
	"                       /sys/kernel/btf/vmlinux; those of its modules are looked for beside that\n"
	"  --guards WHEN        auto (default): guard what can't be proven; always: everything; never:\n"
	"                       nothing, so that what can't be proven is an error\n"
	"  --report             say for each access and loop whether it is proven or guarded, and why\n"
	"  -S                   print the code below the lines of the source, with guards marked\n" LIMIT_HELP
	"  -h, --help           this help\n"
	"\n"
	"example: ward cc probes/reads.c -o reads.ward\n";

enum { OPTION_PROFILE = OPTION_OWN, OPTION_GUARDS, OPTION_REPORT, OPTION_BTF };

struct cc {
	const char *output, *btf;
	struct front front;
	bool kernel, report, listing;
	enum ward_guards guards;
	struct limits limits;
};

static bool parse_guards(const char *text, enum ward_guards *guards)
{
	static const char *const words[] = {
		[WARD_GUARDS_AUTO] = "auto", [WARD_GUARDS_ALWAYS] = "always", [WARD_GUARDS_NEVER] = "never"};
	for (int i = 0; i < 3; i++) {
		*guards = (enum ward_guards)i;
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	cli_usage(&cmd_cc, "--guards '%s': not auto, always or never", text);
	return false;
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(struct cc *cc, int argc, char **argv)
{
	static const struct option longs[] = {
		{"output", required_argument, NULL, 'o'},
		{"profile", required_argument, NULL, OPTION_PROFILE},
		{"btf", required_argument, NULL, OPTION_BTF},
		{"guards", required_argument, NULL, OPTION_GUARDS},
		{"report", no_argument, NULL, OPTION_REPORT},
		{"help", no_argument, NULL, 'h'},
		FRONT_LONGS,
		LIMIT_LONGS,
		{0},
	};
	for (;;) {
		int c = cli_getopt(&cmd_cc, argc, argv, ":o:Sh" FRONT_SHORTS, longs);
		bool ok = true;
		switch (c) {
		case CLI_OPT_DONE: return -1;
		case CLI_OPT_HELP: return CLI_OK;
		case CLI_OPT_BAD: return CLI_USAGE;
		case 'o': cc->output = optarg; break;
		case 'D':
		case 'U':
		case 'I':
		case 'W':
		case 's':
		case 'f':
		case FRONT_ROUNDS: ok = front_option(&cmd_cc, c, optarg, &cc->front); break;
		case 'S': cc->listing = true; break;
		case OPTION_GUARDS: ok = parse_guards(optarg, &cc->guards); break;
		case OPTION_BTF: cc->btf = optarg; break;
		case OPTION_REPORT: cc->report = true; break;
		case OPTION_PROFILE: ok = cli_profile(&cmd_cc, optarg, &cc->kernel); break;
		default: ok = limits_option(&cmd_cc, c, optarg, &cc->limits); break;
		}
		if (!ok)
			return CLI_USAGE;
	}
}

static int run_cc(int argc, char **argv)
{
	struct cc cc = {0};
	int status = limits_init(&cc.limits, false) ? parse_options(&cc, argc, argv) : CLI_USAGE;
	if (status < 0 && argc == optind)
		status = cli_usage(&cmd_cc, "no source file given");
	if (status < 0 && cc.btf && !cc.kernel)
		status = cli_usage(&cmd_cc, "--btf needs --profile kernel");
	for (int i = optind; status < 0 && i < argc; i++)
		if (!cli_has_suffix(argv[i], ".c"))
			status = cli_usage(&cmd_cc,
				"'%s' is not a C source (.c); make modules of objects with ward link", argv[i]);
	limits_for(&cc.limits, cc.kernel);
	if (status < 0) {
		struct cli_guarded guarded = {0};
		struct cli_build make = {
			.make = cli_compile,
			.options = {.include_dirs = cc.front.dirs.at,
				.n_include_dirs = cc.front.dirs.n,
				.flags = cc.front.flags.at,
				.n_flags = cc.front.flags.n,
				.maps = cc.front.maps.at,
				.n_maps = cc.front.maps.n,
				.more_sources = (const char *const *)argv + optind + 1,
				.n_more_sources = (size_t)(argc - optind - 1),
				.kernel = cc.kernel,
				.btf = cc.btf,
				.guards = cc.guards,
				.rounds = cc.front.rounds,
				.report = cc.report,
				.guarded = cc.listing ? &guarded : NULL,
				.limits = &cc.limits.options},
			.limits = cc.limits.options,
		};
		status = cli_build_output(&cmd_cc, argv[optind], ".c", cc.output, &make);
		cli_free_guarded(&guarded);
	}
	front_free(&cc.front);
	limits_free(&cc.limits);
	return status;
}

const struct cli_command cmd_cc = {"cc", "compile a probe to a proven module", help, run_cc};
