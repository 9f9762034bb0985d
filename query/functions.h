/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of texts at the final stage. functions.c describes them. */
#ifndef WARD_QUERY_FUNCTIONS_H
#define WARD_QUERY_FUNCTIONS_H

#include "names.h"
#include "rows.h"

/* The value of an EXPR_FUNCTION. */
enum final_function { FUNCTION_TO_STRING, FUNCTION_CONTAINS, FUNCTION_ENDS_WITH, FUNCTION_SUBSTRING, FUNCTION_JOIN };

/* Is it a call of one of them? */
bool is_text_function(const struct node *n);
struct expr *resolve_text_function(
	struct resolver *r, struct node *n, struct expr *object, const struct binding *scope, struct expr *implicit);
struct query_value rows_function(const struct machine *m, const struct expr *e);

#endif
