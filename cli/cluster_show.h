/* SPDX-License-Identifier: Apache-2.0 */
/* ward cluster show, in parts: looking on and states (cluster_show.c), shares of a field (cluster_shares.c). */
#ifndef WARD_CLI_CLUSTER_SHOW_H
#define WARD_CLI_CLUSTER_SHOW_H

#include "cluster_command.h"

struct cluster_show {
	struct cluster_use use;
	struct cli_output out;
	const char *id, *field; /* field: of which shares are shown; or NULL */
	bus *b;
	struct cluster_secret secret;
	cluster_run *run;
};

/* Machines by their part of a field, the largest first. Returns an exit status. */
int cluster_shares_print(struct cluster_show *s);

#endif
