/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about jumps through tables in read-only data; see jumps.c. */
#ifndef WARD_Z3_JUMPS_H
#define WARD_Z3_JUMPS_H

#include "statement.h"

void build_table_loaded(const struct query *q);
void build_table_extended(const struct query *q);
void build_table_targets(const struct query *q);
void build_table_length(const struct query *q);
void build_table_next(const struct query *q);

#endif
