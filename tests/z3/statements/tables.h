/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about tables in read-only data; see tables.c. */
#ifndef WARD_Z3_TABLES_H
#define WARD_Z3_TABLES_H

#include "statement.h"

void build_stride_of(const struct query *q);
void build_steps_of(const struct query *q);
void build_constant_at(const struct query *q);
void build_constants(const struct query *q);
void build_constants_number(const struct query *q);

#endif
