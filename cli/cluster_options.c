/* SPDX-License-Identifier: Apache-2.0 */
/* Options of commands that use a cluster, and what they mean: a connection, a key, a directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cluster/wire/choice.h"
#include "cluster_command.h"

enum { CONNECT_MS = 5000, MOST_URLS = 8, MOST_DRAWN = 200 }; /* drawn: as limits.def says of names */

struct cluster_now cluster_now(void)
{
	struct timespec steady, day;

	clock_gettime(CLOCK_MONOTONIC, &steady);
	clock_gettime(CLOCK_REALTIME, &day);
	return (struct cluster_now){.ns = (uint64_t)steady.tv_sec * 1000000000 + (uint64_t)steady.tv_nsec,
		.at = (uint64_t)day.tv_sec * 1000000000 + (uint64_t)day.tv_nsec};
}

double cluster_rate(void)
{
	const struct timespec pause = {.tv_nsec = 50000000};
	struct cli_clock start;

	cli_clock_start(&start);
	nanosleep(&pause, NULL);
	return cli_clock_rate(&start);
}

void cluster_use_init(struct cluster_use *use)
{
	*use = (struct cluster_use){
		.name = "default", .on = "", .most = UINT64_MAX, .period = 1, .lease = 60, .keep = 600, .grace = 5};
}

/* "2%" or "0.5%": of 1. */
static bool share_read(const struct cli_command *command, const char *option, const char *text, double *share)
{
	char *end;
	double n = strtod(text, &end);

	if (end != text && strcmp(end, "%") == 0 && n > 0 && n <= 100) {
		*share = n / 100;
		return true;
	}
	cli_usage(command, "%s '%s': not a part such as 2%%", option, text);
	return false;
}

/* "2%", or a number of machines. */
static bool some_read(const struct cli_command *command, const char *text, struct cluster_use *use)
{
	double share;

	use->some = 0;
	use->most = UINT64_MAX;
	if (!strchr(text, '%'))
		return cli_number(command, "--some", text, 1, MOST_DRAWN, &use->some);
	if (!share_read(command, "--some", text, &share))
		return false;
	use->most = share == 1 ? UINT64_MAX : (uint64_t)(share * 18446744073709551616.0);
	return true;
}

/* Names of machines, one a line. */
static bool expected_read(const struct cli_command *command, const char *path, struct cluster_use *use)
{
	struct cli_bytes file;
	char *rest, *line;

	if (use->expected_text)
		return cli_usage(command, "--expect is given twice"), false;
	if (cli_read_file(path, &file) != CLI_OK)
		return false;
	use->expected_text = strndup((const char *)file.data, file.size);
	free(file.data);
	for (rest = use->expected_text; rest && (line = strsep(&rest, "\n"));)
		if (*line && *line != '#' && !list_add(&use->expected, line))
			return false;
	return use->expected_text != NULL;
}

bool cluster_use_option(const struct cli_command *command, int option, const char *value, struct cluster_use *use)
{
	double share;

	switch (option) {
	case CLUSTER_OPTION_URL: use->url = value; return true;
	case CLUSTER_OPTION_CREDS: use->creds = value; return true;
	case CLUSTER_OPTION_KEY: use->key = value; return true;
	case CLUSTER_OPTION_NAME: use->name = value; return true;
	case CLUSTER_OPTION_ON: use->on = value; return true;
	case CLUSTER_OPTION_ATTACH: use->attach = value; return true;
	case CLUSTER_OPTION_PROCESS: return list_add(&use->process, value);
	case CLUSTER_OPTION_EXPECT: return expected_read(command, value, use);
	case CLUSTER_OPTION_PERIOD: return cli_seconds(command, "--period", value, &use->period);
	case CLUSTER_OPTION_LEASE: return cli_seconds(command, "--lease", value, &use->lease);
	case CLUSTER_OPTION_KEEP: return cli_seconds(command, "--keep", value, &use->keep);
	case CLUSTER_OPTION_GRACE: return cli_seconds(command, "--grace", value, &use->grace);
	case CLUSTER_OPTION_WITHOUT: return list_add(&use->without, value);
	case CLUSTER_OPTION_VARIANT: return list_add(&use->variants, value);
	case CLUSTER_OPTION_BY:
		use->by_machine = true;
		if (strcmp(value, "machine") == 0)
			return true;
		if (strncmp(value, "label=", 6) == 0 && value[6] && !strchr(value + 6, '=')) {
			use->by_label = value + 6;
			return true;
		}
		cli_usage(command, "--by '%.40s': there are --by machine and --by label=KEY", value);
		return false;
	case CLUSTER_OPTION_SHARDS: return cli_number(command, "--shards", value, 2, 65536, &use->shards);
	case CLUSTER_OPTION_NO_LATE: use->no_late = true; return true;
	case CLUSTER_OPTION_PARTIAL_OK: use->partial_ok = true; return true;
	case CLUSTER_OPTION_SOME: return some_read(command, value, use);
	case CLUSTER_OPTION_OVERHEAD:
		if (!share_read(command, "--max-overhead", value, &share))
			return false;
		use->overhead_ppm = (uint64_t)(share * 1000000);
		return true;
	default: return false;
	}
}

int cluster_use_check(const struct cli_command *command, struct cluster_use *use)
{
	struct ward_error err = {0};

	if (!use->url)
		return cli_usage(command, "no cluster given: --cluster tls://HOST:4222");
	if (!use->creds)
		return cli_usage(command, "no credentials given: --creds FILE, as ward cluster enrol makes it");
	if (use->shards && (use->by_machine || use->without.n))
		return cli_usage(command, "--shards can't be combined with %s: combiners have added the machines up",
			use->by_machine ? "--by" : "--without");
	if (!cluster_selector_check(use->on, strlen(use->on), &err))
		return cli_library_error(&err);
	return -1;
}

void cluster_use_free(struct cluster_use *use)
{
	free(use->process.at);
	free(use->expected.at);
	free(use->without.at);
	free(use->variants.at);
	free(use->expected_text);
	free(use->found.order);
}

/* alice.creds has alice.key beside it. */
static int key_open(const struct cluster_use *use, struct cluster_secret *secret)
{
	struct ward_error err = {0};
	char path[4096];
	size_t n = strlen(use->creds);

	if (cli_has_suffix(use->creds, ".creds"))
		n -= strlen(".creds");
	snprintf(path, sizeof(path), "%.*s.key", (int)n, use->creds);
	return cluster_secret_load(secret, use->key ? use->key : path, &err) ? CLI_OK : cli_library_error(&err);
}

int cluster_use_connect(const struct cluster_use *use, bus **b)
{
	const char *urls[MOST_URLS];
	struct bus_nats_options options = {
		.urls = urls, .creds = use->creds, .name = "ward", .wait_ms = CONNECT_MS, .jitter_ms = 1000};
	struct ward_error err = {0};
	char *text = strdup(use->url), *rest = text;
	int status;

	while (rest && options.n_urls < MOST_URLS)
		urls[options.n_urls++] = strsep(&rest, ",");
	if (rest)
		status = cli_error(CLI_USAGE, "--cluster", NULL, "more than %d servers", MOST_URLS);
	else if (!text)
		status = cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	else
		status = bus_nats_open(&options, b, &err) ? cli_library_error(&err) : CLI_OK;
	free(text);
	return status;
}

int cluster_use_open(const struct cluster_use *use, bus **b, struct cluster_secret *secret)
{
	int status = key_open(use, secret);

	return status == CLI_OK ? cluster_use_connect(use, b) : status;
}

/* Each part of the path is made if it isn't there; only its owner may look into it. */
static int directory_make(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		if (mkdir(path, 0700) && errno != EEXIST)
			return -1;
		*at = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int cluster_journals_open(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char path[4096];
	int fd;

	if (state && *state == '/')
		snprintf(path, sizeof(path), "%s/ward/queries", state);
	else
		snprintf(path, sizeof(path), "%s/.local/state/ward/queries", home && *home == '/' ? home : "/root");
	fd = directory_make(path);
	if (fd < 0)
		cli_error(CLI_USAGE, path, "set XDG_STATE_HOME to a directory that you may write to", "%s",
			strerror(errno));
	return fd;
}
