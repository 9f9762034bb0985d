/* SPDX-License-Identifier: Apache-2.0 */
#include "watched_names.h"

#include <string.h>

static bool is_called(const char *name, const char *so)
{
	size_t n = strlen(so);

	return strncmp(name, so, n) == 0 && (!name[n] || name[n] == '@');
}

enum wl_watched wl_watched_name(const char *name)
{
	return is_called(name, "prctl")        ? WL_PRCTL
	       : is_called(name, "syscall")    ? WL_SYSCALL
	       : is_called(name, WL_SETS_KEYS) ? WL_PKEY_SET
					       : WL_UNWATCHED;
}

bool wl_is_c_library(const char *name)
{
	static const char *const begin[] = {"libc.so", "libc-2.", "libc.musl-", "ld-musl-"};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (strncmp(name, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}
