/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a state that somebody wrote by hand, as a query has them. fields.c describes how. */
#ifndef WARD_QUERY_FIELDS_H
#define WARD_QUERY_FIELDS_H

#include "chain.h"

/* A name as the language has it: a.b[2] is a_b_2. */
const char *field_name(struct chain *c, const char *name);
/* The type of a part of a key, or of a record. */
struct type field_type(const struct ward_field *f);
/* Such a part, as an expression that says no more than its type and its number. */
struct expr *field_part(struct chain *c, struct type type, size_t i, struct query_span at);

/* Members of a record while they are added; *end is NULL at first. */
struct field_columns {
	struct chain *c;
	struct query_span at;
	struct member **end;
};
/* It is kept, and its results are members of the record. False: rows have nothing for it, or an error. */
bool field_keep(struct field_columns *to, const struct ward_field *f, size_t part);
/* One more result of what was kept last. */
struct expr *field_add_result(struct field_columns *to, const char *name, enum keep_part part, struct type type);

#endif
