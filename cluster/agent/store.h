/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of the agent's state directory: written whole, or not at all, and on the disk when the call returns. */
#ifndef WARD_CLUSTER_AGENT_STORE_H
#define WARD_CLUSTER_AGENT_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "ward/ward.h"

/* A file's name is its path in the directory; its folder must be there. */
bool agent_store_write(
	const char *directory, const char *name, const void *bytes, size_t size, bool sync, struct ward_error *err);
/* *bytes is NULL, and that no failure, if there is no such file. It ends with a zero that isn't counted. */
bool agent_store_read(
	const char *directory, const char *name, size_t most, void **bytes, size_t *size, struct ward_error *err);
bool agent_store_remove(const char *directory, const char *name);
/* Make a directory, for its owner only; it may be there. */
bool agent_store_directory(const char *path, struct ward_error *err);
/* Write all of it. */
bool agent_store_put(int fd, const void *bytes, size_t size);

#endif
