/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path relative to the directory above that of the running program. */
static bool path_beside(char path[PATH_MAX], const char *rest)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int i;

	if (n <= 0)
		return false;
	exe[n] = '\0';
	for (i = 0; i < 2; i++) {
		slash = strrchr(exe, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	n = snprintf(path, PATH_MAX, "%s/%s", exe, rest);
	return n > 0 && n < PATH_MAX;
}

bool cg_include_dir(char path[PATH_MAX])
{
	const char *set = getenv("WARD_INCLUDE");

	if (set && *set)
		return snprintf(path, PATH_MAX, "%s", set) < PATH_MAX;
	return path_beside(path, "share/ward/include") && access(path, X_OK) == 0;
}

bool cg_backend(char path[PATH_MAX])
{
	return path_beside(path, "lib/ward/ward-llvm") && access(path, X_OK) == 0;
}
