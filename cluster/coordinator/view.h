/* SPDX-License-Identifier: Apache-2.0 */
/* A viewer: what a query's coordinator shows, as it shows it. view.c describes how. */
#ifndef WARD_CLUSTER_COORDINATOR_VIEW_H
#define WARD_CLUSTER_COORDINATOR_VIEW_H

#include "run.h"

/* What a coordinator says of a query. Texts are printable. */
struct cluster_head {
	char id[33], cluster[65], issuer[65], text[1025];
	uint64_t left_ns, machines, reporting;
};

/* What has come: the lines of a table; or a head, of the query or of any. */
enum cluster_viewed { CLUSTER_VIEW_NOTHING, CLUSTER_VIEW_HEAD, CLUSTER_VIEW_TABLE };

struct cluster_table {
	const char *text; /* until the next call; with a zero behind it */
	size_t size;
	enum cluster_shown_end end;
};

typedef struct cluster_view cluster_view;

/*
 * Look at a query, or at the heads of all (NULL). The bus must outlive the view. WARD_E_USAGE: `query` is no ID.
 */
int cluster_view_open(bus *b, const char *query, enum cluster_shown_as as, cluster_view **out, struct ward_error *err);
void cluster_view_close(cluster_view *view);

/* Ask if that is due, and take what has come, up to the next head or table. WARD_E_SYSTEM without memory. */
int cluster_view_step(cluster_view *view, struct cluster_now now, enum cluster_viewed *what, struct ward_error *err);
const struct cluster_head *cluster_view_head(const cluster_view *view);
struct cluster_table cluster_view_table(const cluster_view *view);

#endif
