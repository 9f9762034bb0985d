/* SPDX-License-Identifier: Apache-2.0 */
/* ward cluster init and enrol: the authority, the server's configuration, and credentials. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/enrol/enrol.h"
#include "cluster/wire/sign.h"
#include "cluster_command.h"
#include "limits.h"

enum { MOST_SERVERS = 32, MOST_DAYS = 36500, INIT_DAYS = 3650, MEMBER_DAYS = 30 };
enum {
	OPTION_SERVER = OPTION_OWN,
	OPTION_LISTEN,
	OPTION_DIR,
	OPTION_DAYS,
	OPTION_CHECK,
	OPTION_CLUSTER,
	OPTION_CREDS,
	OPTION_ROLE,
	OPTION_REMOVE,
};

struct setup {
	const char *server[MOST_SERVERS], *listen, *dir, *url, *creds, *role, *output, *remove;
	size_t n_servers;
	uint64_t days;
	bool check;
};

static bool option_take(struct setup *s, int c)
{
	switch (c) {
	case OPTION_SERVER:
		if (s->n_servers == MOST_SERVERS)
			return cli_usage(&cmd_cluster, "more than %d servers", MOST_SERVERS), false;
		s->server[s->n_servers++] = optarg;
		return true;
	case OPTION_LISTEN: s->listen = optarg; return true;
	case OPTION_DIR: s->dir = optarg; return true;
	case OPTION_DAYS: return cli_number(&cmd_cluster, "--days", optarg, 1, MOST_DAYS, &s->days);
	case OPTION_CHECK: s->check = true; return true;
	case OPTION_CLUSTER: s->url = optarg; return true;
	case OPTION_CREDS: s->creds = optarg; return true;
	case OPTION_ROLE: s->role = optarg; return true;
	case OPTION_REMOVE: s->remove = optarg; return true;
	case 'o': s->output = optarg; return true;
	default: return false;
	}
}

/* CLI_OPT_DONE, or what to return with. */
static int setup_options(struct setup *s, int argc, char **argv, const struct option *longs)
{
	int c;

	s->listen = "0.0.0.0:4222";
	s->dir = "/etc/ward/bus";
	while ((c = cli_getopt(&cmd_cluster, argc, argv, ":o:h", longs)) != CLI_OPT_DONE) {
		if (c == CLI_OPT_HELP)
			return CLI_OK;
		if (!option_take(s, c))
			return CLI_USAGE;
	}
	return CLI_OPT_DONE;
}

/* ---- init ---- */

static void fault_print(void *user, const struct ward_error *fault, bool warning)
{
	bool *refused = user;

	if (fault->status == WARD_E_TARGET && !warning)
		*refused = true;
	cli_error(0, fault->what, *fault->hint ? fault->hint : "see ward cluster --help", "%s%s",
		warning ? "warning: " : "", fault->why);
}

static int setup_check(const struct setup *s, const char *dir)
{
	bool refused = false;
	struct enrol_check check = {
		.dir = dir, .url = s->url, .creds = s->creds, .found = fault_print, .user = &refused};
	size_t faults = enrol_check(&check);

	if (!faults)
		printf("nothing is wrong with %s%s%s\n", dir ? dir : "", dir && s->url ? " and " : "",
			s->url ? s->url : "");
	return !faults ? CLI_OK : refused ? CLI_TARGET : CLI_USAGE;
}

static int setup_init(const struct setup *s)
{
	struct enrol_init init = {.dir = s->dir,
		.listen = s->listen,
		.server = s->server,
		.n_servers = s->n_servers,
		.days = s->days ? (unsigned)s->days : INIT_DAYS};
	struct ward_error err = {0};

	if (enrol_init(&init, &err))
		return cli_library_error(&err);
	printf("%s: the authority and the server's configuration\n"
	       "start the server: nats-server -c %s/server.conf\n",
		s->dir, s->dir);
	return CLI_OK;
}

int cluster_run_init(int argc, char **argv)
{
	static const struct option longs[] = {
		{"server", required_argument, NULL, OPTION_SERVER},
		{"listen", required_argument, NULL, OPTION_LISTEN},
		{"dir", required_argument, NULL, OPTION_DIR},
		{"days", required_argument, NULL, OPTION_DAYS},
		{"check", no_argument, NULL, OPTION_CHECK},
		{"cluster", required_argument, NULL, OPTION_CLUSTER},
		{"creds", required_argument, NULL, OPTION_CREDS},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct setup s = {0};
	int c = setup_options(&s, argc, argv, longs);

	if (c != CLI_OPT_DONE)
		return c;
	if (argc > optind)
		return cli_usage(&cmd_cluster, "init takes no arguments");
	if (s.check)
		return setup_check(&s, s.dir);
	if (s.url || s.creds)
		return cli_usage(&cmd_cluster, "--cluster and --creds go with --check");
	if (!s.n_servers)
		return cli_usage(&cmd_cluster, "by which name is the server reached? --server HOST");
	return setup_init(&s);
}

/* ---- enrol ---- */

/* The key that signs orders. It is kept when credentials are renewed, as agents know it. */
static int key_make(const char *name)
{
	struct cluster_secret secret;
	struct ward_error err = {0};
	char path[ENROL_MOST_NAME + 8], text[CLUSTER_KEY_TEXT];

	snprintf(path, sizeof(path), "%s.key", name);
	if (access(path, F_OK) == 0) {
		if (!cluster_secret_load(&secret, path, &err))
			return cli_library_error(&err);
	} else if (!cluster_secret_make(&secret, &err) || !cluster_secret_save(&secret, path, &err)) {
		return cli_library_error(&err);
	}
	cluster_key_print(&secret.key, text);
	explicit_bzero(secret.secret, sizeof(secret.secret));
	printf("%s: its key; who has it gives orders\n"
	       "for /etc/ward/agent.conf of each machine that takes them:\n\n[coordinator %s]\nkey = %s\n\n",
		path, name, text);
	return CLI_OK;
}

static int setup_enrol(const struct setup *s, const char *name)
{
	struct enrol_member member = {.role = enrol_role_find(s->role)};
	struct ward_error err = {0};
	char path[ENROL_MOST_NAME + 8];
	unsigned days = s->days ? (unsigned)s->days : MEMBER_DAYS;

	if (member.role == ENROL_ROLES)
		return cli_usage(&cmd_cluster, "--role '%s': not agent, coordinator, viewer or combiner", s->role);
	if (strlen(name) >= sizeof(member.name) || !enrol_name_valid(name))
		return cli_error(CLI_USAGE, name,
			"small letters, digits and hyphens, with dots between: web17.example.net",
			"is no name on the bus (C-70)");
	strcpy(member.name, name);
	snprintf(path, sizeof(path), "%s.creds", name);
	if (enrol_member_make(s->dir, &member, days, s->output ? s->output : path, &err))
		return cli_library_error(&err);
	printf("%s: credentials of %s, %s, for %u days\n", s->output ? s->output : path, name, s->role, days);
	if (member.role == ENROL_coordinator && key_make(name))
		return CLI_USAGE;
	printf("let the server read its users again: nats-server --signal reload\n");
	return CLI_OK;
}

static int setup_remove(const struct setup *s)
{
	struct ward_error err = {0};

	if (enrol_member_remove(s->dir, s->remove, &err))
		return cli_library_error(&err);
	printf("%s isn't a member any more\nlet the server read its users again: nats-server --signal reload\n",
		s->remove);
	return CLI_OK;
}

int cluster_run_enrol(int argc, char **argv)
{
	static const struct option longs[] = {
		{"dir", required_argument, NULL, OPTION_DIR},
		{"days", required_argument, NULL, OPTION_DAYS},
		{"role", required_argument, NULL, OPTION_ROLE},
		{"output", required_argument, NULL, 'o'},
		{"remove", required_argument, NULL, OPTION_REMOVE},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct setup s = {0};
	int c = setup_options(&s, argc, argv, longs);

	if (c != CLI_OPT_DONE)
		return c;
	if (s.remove)
		return argc > optind || s.role ? cli_usage(&cmd_cluster, "--remove takes one name, and nothing else")
					       : setup_remove(&s);
	if (!s.role || argc != optind + 1)
		return cli_usage(&cmd_cluster, "enrol needs --role ROLE and one name");
	return setup_enrol(&s, argv[optind]);
}
