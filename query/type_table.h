/* SPDX-License-Identifier: Apache-2.0 */
/* Names that only the target's types know: parameters, members of structures, enumerators. type_table.c says how. */
#ifndef WARD_QUERY_TYPE_TABLE_H
#define WARD_QUERY_TYPE_TABLE_H

#include "names.h"

/* The table of a site, asked for when it is first wanted. NULL: there is none; q->types_why may say why. */
const struct ward_types *types_wanted(struct resolver *r, size_t site);

/* Is it a parameter of any of the functions whose events these are? */
bool is_parameter(struct resolver *r, const struct expr *event, const char *name);
struct expr *parameter_value(struct resolver *r, const struct expr *event, const char *name, struct query_span at);
/* Their names, for messages. Returns how many. */
size_t parameter_names(struct resolver *r, const struct expr *event, const char **names, size_t most);
/* Why nothing is known of any function; NULL: something is, or nobody has said. */
const char *types_reason(struct resolver *r, const struct expr *event);

/* What the functions return, of their type; as a word, if they differ or nothing is known. */
struct expr *result_value(struct resolver *r, struct expr *word, uint64_t side);

/* Is it a structure, or does it lead to one? Then it has members. */
bool has_members(const struct expr *object);
struct expr *structure_member(struct resolver *r, struct expr *object, const char *name, struct query_span at);

/* Color.RED: the enumerator of an enumeration that the types know; NULL: there is no enumeration of that name. */
struct expr *enumerator_value(struct resolver *r, const char *type, const char *name, struct query_span at);
/* That of the enumeration that a number is of: "RED" where it meets one. */
struct expr *enumerator_of(struct expr_maker *m, struct type type, const char *name, struct query_span at);
/* Which name a number of the enumeration has; NULL: none. `types`: of each site. */
const char *enumerator_name(const struct ward_types *const *types, struct type type, uint64_t value);

#endif
