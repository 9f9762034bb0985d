/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-query-tool [DEFINE…] < TEXT: the plan of a query, and its probe; or what is wrong with it. Instants and the
 * counter's rate are fixed, so the same text prints the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "query/query.h"
#include "table.h"

int main(int argc, char **argv)
{
	static char text[QUERY_TEXT_MOST + 2];
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);
	struct query_options options = {.defines = (const char *const *)(argv + 1),
		.n_defines = (size_t)(argc - 1),
		.now = 1000000000000000000,
		.now_counts = 5000000,
		.rate = 2000,
		.types = test_types,
		.module = test_module,
		.use = test_use};
	struct query_error err;
	struct query *q = query_compile(text, n, &options, &err);

	if (!q) {
		query_error_print("query", text, n, &err, stdout);
		return 1;
	}
	query_explain(q, stdout);
	query_free(q);
	return 0;
}
