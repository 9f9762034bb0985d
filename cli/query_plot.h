/* SPDX-License-Identifier: Apache-2.0 */
/* Charts of rows on a terminal. */
#ifndef WARD_CLI_QUERY_PLOT_H
#define WARD_CLI_QUERY_PLOT_H

#include "query_rows.h"

/* A heat map of each column that has one. False: there is none. */
bool query_plot_heat(struct cli_output *out, const struct query *q, const struct query_rows *rows);

#endif
