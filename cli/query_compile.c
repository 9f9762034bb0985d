/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a probe that a query has written to its module: from the cache, or by the compiler. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "query_cache.h"
#include "query_command.h"

static bool write_probe(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n > 0) {
		ssize_t done = write(fd, text, n);

		if (done <= 0)
			return false;
		text += done;
		n -= (size_t)done;
	}
	return true;
}

/* The compiler reads it from memory, by the number of our file: nothing is left behind, however this ends. */
static int compile_text(struct query_command *c, const char *text, bool kernel, struct cli_bytes *module)
{
	char path[40], map[60];
	const char *const maps[] = {map};
	struct cli_make make = {.kernel = kernel, .limits = &c->trace.limits.options, .maps = maps, .n_maps = 1};
	int fd = memfd_create("ward_query.c", 0), status; /* clang has it as well */

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(map, sizeof(map), "/proc/%d/fd/=/query/", (int)getpid());
	if (fd >= 0 && write_probe(fd, text))
		status = cli_compile(path, &make, module);
	else
		status = cli_error(CLI_USAGE, "query", "free some memory and try again", "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
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
