/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a query, places in it, and what is wrong at a place. */
#ifndef WARD_QUERY_TEXT_H
#define WARD_QUERY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "query.h"

struct query_text {
	const char *bytes; /* with a zero behind */
	uint32_t n;
};

/* Line and column, from 1; a column is a byte. Also where the line begins, and how long it is. */
struct query_place {
	uint32_t line, column, begin, length;
};
struct query_place query_place_of(const struct query_text *text, uint32_t at);

/* Set an error, unless there is one already: the first is the one that counts. hint may be NULL. */
void query_fail(struct query_error *err, struct query_span span, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The name among n that a mistyped one is most like, or NULL if none is close. */
const char *query_closest(const char *name, const char *const *names, size_t n);

#endif
