/* SPDX-License-Identifier: Apache-2.0 */
/* ward: probes proven safe, attached to live programs. Finds the command and runs it. */
#include <locale.h>
#include <string.h>

#include "cli.h"

static const struct cli_command *const commands[] = {&cmd_trace, &cmd_graph, &cmd_query, &cmd_cluster, &cmd_agent,
	&cmd_combine, &cmd_list, &cmd_detach, &cmd_cc, &cmd_link, &cmd_info};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const struct cli_command *find_command(const char *name)
{
	for (int i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int report_unknown(const char *name)
{
	char quoted[128];
	snprintf(quoted, sizeof(quoted), "'%s'", name);
	return cli_error(CLI_USAGE, quoted, "ward help lists the commands", "no such command");
}

static int print_help(const char *topic)
{
	if (topic) {
		const struct cli_command *command = find_command(topic);
		if (!command)
			return report_unknown(topic);
		printf("%s", command->help);
		return CLI_OK;
	}
	printf("usage: ward COMMAND [OPTION]... [ARGUMENT]...\n"
	       "Attach small C probes to functions of running programs. A probe's machine code is proven\n"
	       "harmless before the program sees it.\n\n");
	for (int i = 0; i < N_COMMANDS; i++)
		printf("  %-8s%s\n", commands[i]->name, commands[i]->summary);
	printf("  %-8s%s\n", "help", "say more about a command: ward help COMMAND, or ward COMMAND --help");
	printf("\nward-verify judges a module on its own, and trusts none of these.\n\n"
	       "exit status: 0 done or accepted, 1 probe rejected, 2 bad usage or unreadable input, 3 target "
	       "refused\n\n"
	       "example: ward trace -p $(pgrep -n sqlite3) reads.c\n");
	return CLI_OK;
}

static int run_command(int argc, char **argv)
{
	if (argc < 2)
		return cli_error(CLI_USAGE, "", "ward help lists the commands", "no command given");
	const char *name = argv[1];
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		printf("ward %s\n", ward_version());
		return CLI_OK;
	}
	if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return print_help(argc > 2 ? argv[2] : NULL);
	const struct cli_command *command = find_command(name);
	return command ? command->run(argc - 1, argv + 1) : report_unknown(name);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	int status = run_command(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout))
		return status ? status
			      : cli_error(CLI_USAGE, "standard output", "is the disk full?", "can't be written");
	return status;
}
