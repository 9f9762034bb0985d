/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query on a cluster while it runs, in parts: its life (cluster_query.c), its result (cluster_result.c), and what
 * viewers get of it (cluster_viewers.c).
 */
#ifndef WARD_CLI_CLUSTER_SESSION_H
#define WARD_CLI_CLUSTER_SESSION_H

#include "cluster_command.h"

struct cluster_session {
	struct cluster_ask *ask;
	bus *b;
	cluster_run *run;
	struct cluster_secret secret;
	int directory;
	struct cluster_shown shown;
	uint64_t shown_ns;
	struct cli_live live;
	bool fault_said, shards_said, is_looking; /* is_looking: it was said that another coordinator has the query */
	ward_schema *by[CLUSTER_RUN_UNITS];       /* with --by machine */
};

/* ---- cluster_attach.c ---- */

/* Take up the query of --attach. Returns an exit status. */
int cluster_attach(struct cluster_session *s);

/* ---- cluster_result.c ---- */

/* Print the result; what of it is for people alone goes to `notes`. Returns an exit status. */
int cluster_result_print(struct cluster_session *s, struct cli_output *out, FILE *notes);
/* The result so far, without its machines but for a line of counts. Returns an exit status. */
int cluster_result_so_far(struct cluster_session *s, struct cli_output *out);
struct cluster_so_far cluster_so_far_now(struct cluster_session *s, uint64_t now_ns);
/* The table so far, on the terminal. */
void cluster_live_draw(struct cluster_session *s);

/* ---- cluster_print.c ---- */

/* Another coordinator has the query, as JSON. */
void cluster_print_taken_over(struct cli_output *out, cluster_run *run);
/* At the end: each machine, as JSON; who isn't in the result, for people, to `notes`. */
void cluster_print_end(
	struct cluster_session *s, struct cli_output *out, const struct cluster_cover *cover, FILE *notes);

/* ---- cluster_records.c ---- */

/* How many records there were; what isn't among them, for people, to `notes`. */
void cluster_records_print_end(const struct cluster_session *s, struct cli_output *out, FILE *notes);

/* ---- cluster_viewers.c ---- */

/* Viewers that have asked see what there is, or the result. */
void cluster_viewers_show(struct cluster_session *s, enum cluster_shown_end end);

#endif
