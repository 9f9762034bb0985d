/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward combine: a combiner of a cluster, in the foreground. It adds up what the machines of its shards send, for the
 * coordinators whose keys it is given, until it is ended.
 */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/base/notify.h"
#include "cluster/combine/combine.h"
#include "cluster/wire/subject.h"
#include "cluster_command.h"
#include "cluster_session.h"
#include "limits.h"

enum { OPTION_COORDINATOR = OPTION_OWN, OPTION_NAME, OPTION_MEMORY, MOST_KEYS = 16, MEBI = 1 << 20 };

static const char help[] =
	"usage: ward combine --cluster URL --creds FILE --coordinator KEY... [OPTION]...\n"
	"Add up what machines of a cluster send, so that a coordinator hears one message of many machines. It works "
	"for\n"
	"queries that are begun with --shards. Run as many as you like, best beside the bus. One that ends is\n"
	"followed by another within seconds.\n"
	"\n"
	"  --cluster URL        the bus, tls://HOST:4222\n"
	"  --creds FILE         its credentials, as ward cluster enrol --role combiner makes them\n"
	"  --coordinator KEY    for whom it works: a coordinator's key, as ward cluster enrol prints it; several are "
	"taken\n"
	"  --cluster-name NAME  the cluster's name, as in the machines' configuration (default)\n"
	"  --name NAME          the name in its credentials (this host's)\n"
	"  --memory MB          what partials of a shard may take (1024)\n"
	"  -h, --help           this help\n"
	"\n"
	"exit status: 0 it was ended, 2 bad usage, 3 the server can't be reached, or refuses it\n"
	"\n"
	"example: ward combine --cluster tls://bus:4222 --creds sum1.creds --name sum1 --coordinator RWQ...\n";

struct combiner {
	const char *url, *creds;
	char host[CLUSTER_NAME];
	struct cluster_key key[MOST_KEYS];
	struct cluster_combine_options options;
	bus *b;
	cluster_combine *combine;
	uint64_t refused; /* by the server, as far as it was said */
};

static volatile sig_atomic_t is_ended;

static void on_end(int sig)
{
	(void)sig;
	is_ended = 1;
}

static bool coordinator_add(struct combiner *c, const char *text)
{
	if (c->options.n_keys == MOST_KEYS)
		return cli_usage(&cmd_combine, "more than %d coordinators", MOST_KEYS), false;
	if (!cluster_key_read(text, &c->key[c->options.n_keys]))
		return cli_usage(&cmd_combine, "--coordinator '%.80s': not a key such as RWQ...", text), false;
	c->options.n_keys++;
	return true;
}

static bool option_take(struct combiner *c, int option, const char *value)
{
	uint64_t megabytes;

	switch (option) {
	case CLUSTER_OPTION_URL: c->url = value; return true;
	case CLUSTER_OPTION_CREDS: c->creds = value; return true;
	case CLUSTER_OPTION_NAME: c->options.cluster = value; return true;
	case OPTION_NAME: c->options.name = value; return true;
	case OPTION_COORDINATOR: return coordinator_add(c, value);
	case OPTION_MEMORY:
		if (!cli_number(&cmd_combine, "--memory", value, 1, 1 << 20, &megabytes))
			return false;
		c->options.bytes = megabytes * MEBI;
		return true;
	default: return false;
	}
}

static int options_read(struct combiner *c, int argc, char **argv)
{
	static const struct option longs[] = {{"cluster", required_argument, NULL, CLUSTER_OPTION_URL},
		{"creds", required_argument, NULL, CLUSTER_OPTION_CREDS},
		{"cluster-name", required_argument, NULL, CLUSTER_OPTION_NAME},
		{"coordinator", required_argument, NULL, OPTION_COORDINATOR},
		{"name", required_argument, NULL, OPTION_NAME}, {"memory", required_argument, NULL, OPTION_MEMORY},
		{"help", no_argument, NULL, 'h'}, {0}};
	int option;

	gethostname(c->host, sizeof(c->host) - 1);
	c->options = (struct cluster_combine_options){.cluster = "default", .name = c->host, .keys = c->key};
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (option == 'h') {
			printf("%s", help);
			return CLI_OK;
		}
		if (option == '?' || !option_take(c, option, optarg))
			return CLI_USAGE;
	}
	if (optind < argc)
		return cli_usage(&cmd_combine, "'%.80s': nothing but options is taken", argv[optind]);
	if (!c->url || !c->creds || !c->options.n_keys)
		return cli_usage(&cmd_combine, "%s is missing",
			!c->url     ? "--cluster tls://HOST:4222"
			: !c->creds ? "--creds FILE"
				    : "--coordinator KEY");
	return -1;
}

static int combiner_open(struct combiner *c)
{
	struct bus_nats_options bus_options = {.urls = &c->url,
		.n_urls = 1,
		.creds = c->creds,
		.name = "ward combine",
		.wait_ms = 5000,
		.jitter_ms = 1000};
	struct ward_error err = {0};

	if (bus_nats_open(&bus_options, &c->b, &err) ||
		cluster_combine_new(c->b, &c->options, cluster_now().ns, &c->combine, &err))
		return cli_library_error(&err);
	return CLI_OK;
}

/* A name that isn't that of its credentials shows so. */
static int refusal_look(struct combiner *c)
{
	struct bus_state state;

	bus_get_state(c->b, &state);
	if (state.refused == c->refused)
		return CLI_OK;
	c->refused = state.refused;
	return cli_error(CLI_TARGET, c->options.name, "--name is the name in its credentials, whose role is combiner",
		"the server refuses: %s", state.reason);
}

static int combiner_run(struct combiner *c)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction end = {.sa_handler = on_end}; /* no SA_RESTART: waiting ends */
	struct ward_error err = {0};
	int status = CLI_OK;

	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &end, NULL);
	cluster_notify("READY=1");
	fprintf(stderr, "combiner %s is there; Ctrl-C ends it\n", c->options.name);
	while (!is_ended && status == CLI_OK) {
		if (cluster_combine_step(c->combine, cluster_now().ns, &err))
			status = cli_library_error(&err);
		else
			status = refusal_look(c);
		if (status == CLI_OK)
			cluster_messages_wait(c->b);
	}
	cluster_notify("STOPPING=1");
	return status;
}

static int run_combine(int argc, char **argv)
{
	struct combiner c = {0};
	int status = options_read(&c, argc, argv);

	if (status >= 0)
		return status;
	status = combiner_open(&c);
	if (status == CLI_OK)
		status = combiner_run(&c);
	cluster_combine_free(c.combine);
	bus_close(c.b);
	return status;
}

const struct cli_command cmd_combine = {"combine", "add up what machines of a cluster send", help, run_combine};
