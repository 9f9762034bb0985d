/* SPDX-License-Identifier: Apache-2.0 */
/* ward cluster: the machines that share a bus. Finds the subcommand; cluster_setup.c and others carry it out. */
#include <string.h>

#include "cluster_command.h"

static const char help[] =
	"usage: ward cluster init --server HOST... [--dir DIR] [OPTION]...\n"
	"       ward cluster init --check [--dir DIR] [--cluster URL [--creds FILE]]\n"
	"       ward cluster enrol --role ROLE NAME [--dir DIR] [OPTION]...\n"
	"       ward cluster enrol --remove NAME [--dir DIR]\n"
	"       ward cluster machines --cluster URL --creds FILE [--json] [--clocks]\n"
	"       ward cluster queries --cluster URL --creds FILE [--json]\n"
	"       ward cluster show --cluster URL --creds FILE [--json] [--by machine] ID [FIELD]\n"
	"       ward cluster cancel --cluster URL --creds FILE ID\n"
	"       ward cluster watch --cluster URL --creds FILE [--json] [ID]\n"
	"Set up a cluster: machines that take queries from coordinators over a NATS server, the bus. `init` makes\n"
	"an authority, which signs certificates, and the server's configuration. `enrol` makes the credentials of a\n"
	"machine or a person: a file with a certificate, its key, and the authority's certificate. What each role\n"
	"may do, the server enforces. `machines` shows who answers to a roll call, `queries` what runs there, and\n"
	"`cancel` ends a query. `show` shows how each machine of a query does, or which part of a result each has. It\n"
	"changes nothing there. `watch` shows what a query's coordinator shows, to a viewer, who can't order "
	"anything.\n"
	"\n"
	"init:\n"
	"      --server HOST    a name or an address by which the server is reached; more than once if it has several\n"
	"      --listen ADDRESS where the server listens (0.0.0.0:4222)\n"
	"      --dir DIR        the authority's directory (/etc/ward/bus); who can read its keys can enrol anybody\n"
	"      --days N         how long certificates last: of init 3650, of enrol 30\n"
	"      --check          look for what is wrong with a directory, and with a server; make nothing\n"
	"      --cluster URL    the server to look at: tls://HOST:4222\n"
	"      --creds FILE     credentials to connect with\n"
	"enrol:\n"
	"      --role ROLE      agent: a machine; coordinator: who starts queries; viewer: who sees results;\n"
	"                       combiner: a process that adds up for many machines\n"
	"  -o, --output FILE    the credentials (NAME.creds in this directory)\n"
	"      --remove NAME    take a member out\n"
	"machines, queries, show, cancel, watch:\n"
	"      --cluster URL    the bus\n"
	"      --creds FILE     the coordinator's credentials; of watch, a viewer's\n"
	"      --key FILE       its key (as FILE.creds has FILE.key)\n"
	"      --cluster-name NAME\n"
	"                       the cluster's name, as in the machines' configuration (default)\n"
	"      --clocks         of machines: how far each clock is off, and by how much that may be wrong\n"
	"      --json           print one object a line\n"
	"      --by machine     of show: machines by their part of FIELD, the largest first, with the median\n"
	"  -h, --help           this help\n"
	"\n"
	"A coordinator also gets NAME.key, a key that signs its orders. Agents take orders of keys that their\n"
	"configuration names. The server must read its users again after each enrolment: nats-server --signal reload.\n"
	"\n"
	"exit status: 0 done, or nothing is wrong, 2 bad usage, or a file is wrong, 3 the server refuses, or the\n"
	"             result that is watched isn't complete\n"
	"\n"
	"example: ward cluster init --server bus.example.net && ward cluster enrol --role agent web17.example.net\n";

static int run_cluster(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {{"init", cluster_run_init}, {"enrol", cluster_run_enrol}, {"machines", cluster_run_machines},
		{"queries", cluster_run_queries}, {"show", cluster_run_show_query}, {"cancel", cluster_run_cancel},
		{"watch", cluster_run_watch}};

	if (argc < 2)
		return cli_usage(&cmd_cluster, "no subcommand given");
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		printf("%s", help);
		return CLI_OK;
	}
	return argv[1][0] == '-' ? cli_usage(&cmd_cluster, "unknown option '%.40s'", argv[1])
				 : cli_usage(&cmd_cluster, "no subcommand '%.40s'", argv[1]);
}

const struct cli_command cmd_cluster = {"cluster", "set up machines that take queries together", help, run_cluster};
