/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward agent: a machine of a cluster, in the foreground: where no service manager runs its two programs, or to see
 * what they do. All is theirs; this finds them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { MOST_PATH = 4096 };

static const char help[] =
	"usage: ward agent [OPTION]...\n"
	"       ward agent --check [OPTION]...\n"
	"Take the orders of a cluster's coordinators, in the foreground: runs ward-agent and ward-agent-link, which\n"
	"packages run as services. ward-agent.conf(5) says whose orders are taken, and what they may be.\n"
	"\n"
	"      --check           say all that is wrong with the configuration, the machine and the way to the bus, "
	"and\n"
	"                        what coordinators may; change nothing\n"
	"      --config FILE     the configuration (/etc/ward/agent.conf)\n"
	"      --creds FILE      the machine's credentials (/etc/ward/bus.creds)\n"
	"      --state DIR       what is kept over a restart (/var/lib/ward)\n"
	"      --log DIR         the audit, audit.jsonl (/var/log/ward)\n"
	"      --run DIR         where the two programs meet (/run/ward)\n"
	"      --link-user NAME  the user of ward-agent-link (ward-link, if there is one)\n"
	"  -h, --help            this help\n"
	"\n"
	"exit status: 0 done, or nothing is wrong, 2 the configuration or the usage is wrong, 3 the machine can't do "
	"it\n"
	"\n"
	"example: ward agent --check\n";

/* Beside this program, or as the shell would find it. */
static void agent_run(char **argv)
{
	char path[MOST_PATH];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("ward-agent"));
	char *slash;

	path[n > 0 ? n : 0] = 0;
	slash = strrchr(path, '/');
	if (slash) {
		strcpy(slash + 1, "ward-agent");
		execv(path, argv);
	}
	execvp("ward-agent", argv);
}

static int run_agent(int argc, char **argv)
{
	char **to = calloc((size_t)argc + 2, sizeof(*to));

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			free(to);
			printf("%s", help);
			return CLI_OK;
		}
	if (!to)
		return cli_error(CLI_USAGE, "agent", NULL, "out of memory");
	to[0] = "ward-agent";
	to[1] = "--link"; /* of no meaning to --check */
	memcpy(to + 2, argv + 1, (size_t)(argc - 1) * sizeof(*to));
	agent_run(to);
	free(to);
	return cli_error(CLI_USAGE, "ward-agent", "install the package ward-agent", "%s", strerror(errno));
}

const struct cli_command cmd_agent = {
	"agent", "take the orders of a cluster's coordinators on this machine", help, run_agent};
