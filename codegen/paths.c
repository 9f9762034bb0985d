/* SPDX-License-Identifier: Apache-2.0 */
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path relative to the directory above that of the running program. */
static int beside(char path[PATH_MAX], const char *rest)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int i;

	if (n <= 0)
		return -1;
	exe[n] = '\0';
	for (i = 0; i < 2; i++) {
		slash = strrchr(exe, '/');
		if (!slash)
			return -1;
		*slash = '\0';
	}
	n = snprintf(path, PATH_MAX, "%s/%s", exe, rest);
	return n > 0 && n < PATH_MAX ? 0 : -1;
}

void cg_include_dir(char path[PATH_MAX])
{
	const char *set = getenv("WARD_INCLUDE");

	if (set && *set) {
		snprintf(path, PATH_MAX, "%s", set);
		return;
	}
	if (beside(path, "share/ward/include/ward/probe.h") == 0 && access(path, R_OK) == 0) {
		beside(path, "share/ward/include");
		return;
	}
	snprintf(path, PATH_MAX, "%s", WARD_SOURCE_INCLUDE);
}

void cg_backend(char path[PATH_MAX])
{
	if (beside(path, "lib/ward/ward-llvm") == 0 && access(path, X_OK) == 0)
		return;
	snprintf(path, PATH_MAX, "%s/ward-llvm", WARD_BACKEND_DIR);
}
