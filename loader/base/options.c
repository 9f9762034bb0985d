/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of callers, which may be of an older or a newer version of the library. */
#include "options.h"

#include "error.h"

#include <stdint.h>
#include <string.h>

int wl_no_options(struct ward_error *err, const char *type, const char *why)
{
	wl_fail(err, WARD_E_USAGE, "options", "%s", why);
	wl_hint(err, "set size to sizeof(struct %s), and fields that you don't use to zero", type);
	return WARD_E_USAGE;
}

int wl_read_options(void *o, size_t size, const void *given, const char *type, struct ward_error *err)
{
	enum { MOST = 4096 }; /* more is no size */
	size_t theirs = 0;

	memset(o, 0, size);
	if (given)
		memcpy(&theirs, given, sizeof(theirs));
	if (given && (theirs < sizeof(theirs) || theirs > MOST))
		return wl_no_options(err, type, "they have no size");
	for (size_t i = size; i < theirs; i++)
		if (((const uint8_t *)given)[i])
			return wl_no_options(err, type, "they set something that this version of libward doesn't know");
	if (given)
		memcpy(o, given, theirs < size ? theirs : size);
	memcpy(o, &size, sizeof(size));
	return 0;
}
