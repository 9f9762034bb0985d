/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program ward-helper is.
 *
 *   1. what the environment variable WARD_HELPER names;
 *   2. beside the file that contains this code: libward1/ward-helper in the folder of libward.so, or
 *      ../lib/libward1/ward-helper for a program that contains libward, as in a build tree. So an installation can be
 *      moved;
 *   3. where libward was to be installed when it was built.
 *
 * A set-user-id program (AT_SECURE) uses only the last one: its user may have set the variable, and may have made a
 * link to the program in a folder of his own. Beside the file, only a program counts that belongs to this user or to
 * root and that not everybody can write to, as folders like /tmp are everybody's.
 */
#include "start.h"

#include "loader/base/error.h"
#include "loader/process/maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "libward" WARD_ABI_TEXT
#define PROGRAM FOLDER "/ward-helper"

static bool is_trusted(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & S_IWOTH) && access(path, X_OK) == 0;
}

/* The folder of the file from which this code is mapped, with a slash at its end. */
static bool own_folder(char folder[PATH_MAX])
{
	const struct wl_map *map;
	struct wl_maps maps;
	const char *slash;

	if (wl_maps_read(getpid(), &maps))
		return false;
	map = wl_maps_find(&maps, (uintptr_t)wl_helper_find);
	slash = map ? strrchr(map->path, '/') : NULL;
	if (slash && slash - map->path < PATH_MAX - 1)
		*(char *)mempcpy(folder, map->path, (size_t)(slash + 1 - map->path)) = 0;
	else
		slash = NULL;
	wl_maps_free(&maps);
	return slash;
}

static bool is_beside(char path[PATH_MAX])
{
	static const char *const rest[] = {PROGRAM, "../lib/" PROGRAM};
	char folder[PATH_MAX];

	if (!own_folder(folder))
		return false;
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		if (snprintf(path, PATH_MAX, "%s%s", folder, rest[i]) < PATH_MAX && is_trusted(path))
			return true;
	return false;
}

bool wl_helper_find(char path[PATH_MAX], struct ward_error *err)
{
	bool secure = getauxval(AT_SECURE);
	const char *set = secure ? NULL : getenv("WARD_HELPER");

	if (set && *set)
		snprintf(path, PATH_MAX, "%s", set);
	else if (secure || !is_beside(path))
		snprintf(path, PATH_MAX, "%s", WARD_LIBRARIES "/" PROGRAM);
	if (access(path, X_OK) == 0)
		return true;
	wl_fail(err, WARD_E_SYSTEM, "ward-helper", "the program %s can't be run: %s", path, strerror(errno));
	wl_hint(err, "it belongs to libward: install it (apt-get install libward" WARD_ABI_TEXT
		     "), or say where it is by WARD_HELPER");
	return false;
}
