/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --attach: a query that runs already. If this computer has its journal, the query is gone on with; if not, its order
 * comes from a machine that has it, and what the result can't know then is said.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/coordinator/asked.h"
#include "cluster/coordinator/fetch.h"
#include "cluster_session.h"

/* An empty file is one that was being made. */
static bool journal_is_here(int directory, const char *id)
{
	struct stat st;

	return fstatat(directory, id, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 8;
}

static int id_check(const char *id)
{
	uint8_t bytes[CLUSTER_ID];

	if (cluster_hex_read(id, CLUSTER_ID, bytes))
		return CLI_OK;
	return cli_error(CLI_USAGE, id, "ward cluster queries lists them", "this is no query's ID");
}

/* Either here or from a machine. */
static int order_read(struct cluster_use *use, bus *b, const struct cluster_secret *secret, int directory)
{
	struct ward_error err = {0};
	int rc = journal_is_here(directory, use->attach)
			 ? cluster_asked_journal(directory, use->attach, &use->found, &err)
			 : cluster_fetch(b, secret, use->name, use->attach, cluster_now, &use->found, &err);

	return rc ? cli_library_error(&err) : CLI_OK;
}

int cluster_order_find(struct cluster_use *use)
{
	struct cluster_secret secret;
	bus *b = NULL;
	int directory, status = id_check(use->attach);

	if (status == CLI_OK)
		status = cluster_use_open(use, &b, &secret);
	if (status != CLI_OK)
		return status;
	use->is_own = false;
	directory = cluster_journals_open();
	status = directory < 0 ? CLI_USAGE : order_read(use, b, &secret, directory);
	if (status == CLI_OK)
		use->is_own = cluster_asked_is_of(&use->found, &secret);
	if (directory >= 0)
		close(directory);
	bus_close(b);
	explicit_bzero(&secret, sizeof(secret));
	return status;
}

static int order_adopt(struct cluster_session *s, const struct cluster_again *again)
{
	struct cluster_use *use = s->ask->use;
	struct ward_error err = {0};
	int rc = use->found.order ? CLI_OK : order_read(use, s->b, &s->secret, s->directory);

	if (rc)
		return rc;
	rc = cluster_run_adopt(s->b, &s->secret, &use->found, again, cluster_now(), &s->run, &err);
	if (rc)
		return cli_library_error(&err);
	if (!s->ask->out->json)
		fprintf(stderr,
			"query %s is another computer's: its order is from a machine. Machines that have gone before "
			"now%s\n",
			use->attach, use->expected.n ? " are those of --expect" : " can't be known without --expect");
	return CLI_OK;
}

int cluster_attach(struct cluster_session *s)
{
	const struct cluster_use *use = s->ask->use;
	struct cluster_again again = {.grace_ns = (uint64_t)(use->grace * 1e9),
		.counts_per_us = s->ask->counts_per_us,
		.has_times = s->ask->has_times,
		.expected = {use->expected.at, use->expected.n},
		.directory = s->directory};
	struct ward_error err = {0};

	if (id_check(use->attach))
		return CLI_USAGE;
	if (!journal_is_here(s->directory, use->attach))
		return order_adopt(s, &again);
	if (cluster_run_attach(s->b, &s->secret, use->attach, &again, cluster_now(), &s->run, &err))
		return cli_library_error(&err);
	return CLI_OK;
}
