/* SPDX-License-Identifier: Apache-2.0 */
/* ward link: make a proven module of an object of any compiler. */
#include <stdlib.h>

#include "cli.h"
#include "limits.h"

static const char help[] =
	"usage: ward link [OPTION]... OBJECT.o\n"
	"Link an object of any compiler or assembler into a module, infer its proof, verify it, and write it.\n"
	"Each global function is an entry: void f(const struct ward_event *, struct ward_state *);\n"
	"if some are in sections named \"ward!SITE\", only these are entries, each for its site.\n"
	"\n"
	"  -o FILE              write the module there (default: OBJECT.ward in this directory)\n"
	"  --state N            bytes of state (default: from debug information, else 4096)\n"
	"  --profile PROFILE    user (default) or kernel\n" LIMIT_HELP "  -h, --help           this help\n"
	"\n"
	"Vector registers are for the user profile only. The traced program pays for\n"
	"saving those that a probe uses; gcc and clang use none with -mgeneral-regs-only.\n"
	"For the kernel compile with -mfunction-return=thunk-extern: some processors need it.\n"
	"\n"
	"example: gcc -O2 -g -mgeneral-regs-only -c count.c && ward link count.o -o count.ward\n"
	"         rustc -O -g -C panic=abort --crate-type lib --emit obj count.rs && ward link count.o\n";

enum { OPTION_PROFILE = OPTION_OWN, OPTION_STATE };

struct link {
	const char *output;
	struct cli_build make;
	struct limits limits;
};

/* Returns an exit status, or -1 to go on. */
static int parse_options(struct link *link, int argc, char **argv)
{
	static const struct option longs[] = {
		{"output", required_argument, NULL, 'o'},
		{"profile", required_argument, NULL, OPTION_PROFILE},
		{"state", required_argument, NULL, OPTION_STATE},
		{"help", no_argument, NULL, 'h'},
		LIMIT_LONGS,
		{0},
	};
	for (;;) {
		int c = cli_getopt(&cmd_link, argc, argv, ":o:h", longs);
		bool ok = true;
		uint64_t n;
		switch (c) {
		case CLI_OPT_DONE: return -1;
		case CLI_OPT_HELP: return CLI_OK;
		case CLI_OPT_BAD: return CLI_USAGE;
		case 'o': link->output = optarg; break;
		case OPTION_PROFILE: ok = cli_profile(&cmd_link, optarg, &link->make.options.kernel); break;
		case OPTION_STATE:
			ok = cli_number(&cmd_link, "--state", optarg, 0, 1 << 28, &n);
			link->make.options.state_size = (int64_t)n;
			break;
		default: ok = limits_option(&cmd_link, c, optarg, &link->limits); break;
		}
		if (!ok)
			return CLI_USAGE;
	}
}

static int run_link(int argc, char **argv)
{
	struct link link = {.make = {.make = cli_link_object, .options = {.state_size = -1}}};
	int status = limits_init(&link.limits, false) ? parse_options(&link, argc, argv) : CLI_USAGE;
	limits_for(&link.limits, link.make.options.kernel);
	link.make.limits = link.limits.options;
	if (status < 0 && argc - optind != 1)
		status = cli_usage(&cmd_link, argc == optind ? "no object file given" : "one object file at a time");
	if (status < 0)
		status = cli_build_output(&cmd_link, argv[optind], ".o", link.output, &link.make);
	limits_free(&link.limits);
	return status;
}

const struct cli_command cmd_link = {"link", "make a proven module from an object of any compiler", help, run_link};
