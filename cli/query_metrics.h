/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a query as metrics, and the server that gives them away. query_metrics.c describes how. */
#ifndef WARD_CLI_QUERY_METRICS_H
#define WARD_CLI_QUERY_METRICS_H

#include "query/query.h"

enum { METRICS_SERIES = 1000 };

struct metrics_report {
	const char *help; /* of all metrics: the text of the query */
	const struct query *query;
	const struct query_rows *rows;
	uint64_t events;
	bool complete;
	/* Write a value as people read it. */
	void (*value)(void *user, const struct query_value *v, char *text, size_t size);
	void *user;
};

/* Prometheus reads two formats, which differ in a few lines. False: no memory. */
bool metrics_write(const struct metrics_report *r, bool openmetrics, FILE *file);

/* ---- metrics_server.c ---- */

struct metrics_server;

/*
 * Listen at ADDRESS:PORT, PORT, or [ADDRESS]:PORT; without an address at 127.0.0.1. Port 0: any. NULL, with `why` set,
 * if that can't be. at: where it is, as an address of the web.
 */
struct metrics_server *metrics_server_open(const char *where, char *at, size_t size, const char **why);
/* What is given from now on: both are malloc'd, and the server's. */
void metrics_server_set(struct metrics_server *s, char *plain, char *openmetrics);
void metrics_server_close(struct metrics_server *s);

#endif
