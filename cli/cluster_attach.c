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

#include "cluster/coordinator/fetch.h"
#include "cluster_session.h"

/* An empty file is one that was being made. */
static bool journal_is_here(int directory, const char *id)
{
	struct stat st;

	return fstatat(directory, id, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 8;
}

static int order_adopt(struct cluster_session *s, const struct cluster_again *again)
{
	const struct cluster_use *use = s->ask->use;
	struct cluster_found found = {0};
	struct ward_error err = {0};
	int rc = cluster_fetch(s->b, &s->secret, use->name, use->attach, cluster_now, &found, &err);

	rc = rc ? rc : cluster_run_adopt(s->b, &s->secret, &found, again, cluster_now(), &s->run, &err);
	free(found.order);
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
	uint8_t id[CLUSTER_ID];

	if (!cluster_hex_read(use->attach, CLUSTER_ID, id))
		return cli_error(CLI_USAGE, use->attach, "ward cluster queries lists them", "this is no query's ID");
	if (!journal_is_here(s->directory, use->attach))
		return order_adopt(s, &again);
	if (cluster_run_attach(s->b, &s->secret, use->attach, &again, cluster_now(), &s->run, &err))
		return cli_library_error(&err);
	return CLI_OK;
}
