/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a probe that a query has written to its module: from the cache, or by the compiler. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "query_cache.h"
#include "query_command.h"

static int compile_text(struct query_command *c, const char *text, bool kernel, struct cli_bytes *module)
{
	const struct cli_make make = {.kernel = kernel, .limits = &c->trace.limits.options};

	return cli_compile_text("query", text, &make, module);
}

int query_compile_text(struct query_command *c, const char *text, const struct query_same *same, bool kernel,
	struct cli_bytes *module, bool *was_cached)
{
	const struct ward_verify_options *limits = &c->trace.limits.options;
	size_t size = 0;
	char *key;
	int status = CLI_OK;

	limits_for(&c->trace.limits, kernel);
	key = c->explain ? NULL : query_cache_key(same, kernel, limits, &size);
	*was_cached = key && query_cache_find(key, size, limits, module);
	if (!*was_cached)
		status = compile_text(c, text, kernel, module);
	if (key && !*was_cached && status == CLI_OK)
		query_cache_keep(key, size, module);
	free(key);
	return status;
}
