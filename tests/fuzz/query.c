/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of queries: nothing crashes, and of the text nothing reaches the probe that it could be broken out of with. The
 * lines of a probe are the compiler's own, so each begins as one of these does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inside of quotes there is nothing but plain characters and octal escapes. */
static void check_texts(const char *probe)
{
	bool inside = false;

	for (const char *p = probe; *p; p++) {
		if (*p == '"')
			inside = !inside;
		else if (inside && (*p == '\n' || *p == '?' || (*p == '\\' && (p[1] < '0' || p[1] > '3'))))
			abort();
	}
	if (inside)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const defines[] = {"kernel=server", "period=5.s", "LIMIT=10"};
	const struct query_options options = {
		.defines = defines, .n_defines = 3, .now = 1000000000, .now_counts = 1000, .rate = 2500};
	struct query_error err;
	struct query *q = query_compile((const char *)data, size, &options, &err);
	FILE *null = fopen("/dev/null", "w");

	if (!null || err.is_set == (q != NULL))
		abort();
	if (q) {
		check_texts(query_probe(q));
		query_explain(q, null);
	} else {
		query_error_print("query", (const char *)data, size, &err, null);
	}
	fclose(null);
	query_free(q);
	return 0;
}
