/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library's function often has several names: `free`, `cfree` and `__libc_free` are one. Which of them a program was
 * written with can't be seen. The most usual one is shown: with the fewest underscores before it, none of those that
 * old standards have left, and of the others the shortest (`strtol` of `strtoll` and `strtoimax`, `lseek` of
 * `lseek64`).
 */
#include "alias.h"

#include <string.h>

/* Names that programs had before the C library's others were standard. */
static const char *const DATED[] = {"bcmp", "bcopy", "bsd_signal", "bzero", "cfree", "drem", "dremf", "dreml", "gamma",
	"gammaf", "gammal", "gsignal", "index", "rindex", "ssignal", "strtoq", "strtouq"};

static bool is_dated(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(DATED) / sizeof(DATED[0]); i++)
		if (strlen(DATED[i]) == n && memcmp(DATED[i], name, n) == 0)
			return true;
	return false;
}

bool wl_is_plainer(const char *a, const char *b)
{
	size_t x = strspn(a, "_"), y = strspn(b, "_"), n = strcspn(a, "@"), k = strcspn(b, "@");

	if (x != y)
		return x < y;
	if (is_dated(a, n) != is_dated(b, k))
		return is_dated(b, k);
	if (n != k)
		return n < k;
	return memcmp(a, b, n) > 0; /* _exit before _Exit */
}
