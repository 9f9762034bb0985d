/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second implementation of the language, for comparison: it walks the tree once for each event, and keeps all
 * numbers. It shares the lexer and the parser with the first, no more.
 */
#ifndef WARD_TESTS_QUERY_REFERENCE_H
#define WARD_TESTS_QUERY_REFERENCE_H

#include "events.h"

/*
 * The rows of a query of the form
 *	Function(…) { .Where(…) | .Sample(n) | .SampleEvery(n) } .GroupBy(key)
 *		.Select(g => new { k = g.Key, NAME = g.Count() | g.Sum(…) | … })
 * over n events of a seed, as `ward query --json` prints them; malloc'd. NULL: it isn't of that form.
 */
char *reference_rows(const char *text, uint64_t seed, long n);

#endif
