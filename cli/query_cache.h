/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of queries that were compiled before, in the user's cache. */
#ifndef WARD_CLI_QUERY_CACHE_H
#define WARD_CLI_QUERY_CACHE_H

#include "cli.h"
#include "query/query.h"

/*
 * All that a module depends on, as bytes to be freed: the probe, the compiler and its headers, limits. NULL: unknown.
 */
char *query_cache_key(
	const struct query_same *probe, bool kernel, const struct ward_verify_options *limits, size_t *size);

/*
 * The module of that key, if the user has it and the verifier accepts it. The data is the caller's to free. A file that
 * somebody else could have written isn't read.
 */
bool query_cache_find(const char *key, size_t size, const struct ward_verify_options *limits, struct cli_bytes *module);
/* Keep a module. That it can't be kept is no error. */
void query_cache_keep(const char *key, size_t size, const struct cli_bytes *module);

/*
 * How many counts of the time stamp counter are a microsecond, as it was measured since the machine has started; 0:
 * that isn't known. Keep it: the probes that it is in stay the same.
 */
double query_cache_rate(void);
void query_cache_keep_rate(double rate);

#endif
