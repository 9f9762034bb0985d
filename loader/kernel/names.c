/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses in the kernel. */
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	MOST_NAMES = 64,             /* of one function, that are looked at */
	KPLACE_ROOM = 3 + 3 + 8 + 1, /* of "+0x12345678" and " []" */
	/* of a function of the kernel's: behind the last one of a module there is something else */
	MOST_KBYTES = 1 << 17,
};

bool wl_is_better_name(const char *a, const char *b)
{
	size_t x = strspn(a, "_"), y = strspn(b, "_");

	return x != y ? x < y : strlen(a) < strlen(b);
}

bool wl_kname_find(const struct wl_ksyms *k, uint64_t address, char *text, size_t size)
{
	size_t lo = wl_ksyms_upto(k, address), i;
	const struct wl_ksym *best = lo ? &k->v[lo - 1] : NULL;
	char offset[24] = "";
	size_t room;

	for (i = lo; best && i-- > 0 && lo - i <= MOST_NAMES && k->v[i].addr == k->v[lo - 1].addr;)
		if (wl_is_better_name(k->v[i].name, best->name))
			best = &k->v[i];
	/* Of the kernel's own only what isn't given back after its start; the name of what is would be another's. */
	if (!best || address - best->addr >= MOST_KBYTES || (!*best->module && !wl_ksyms_in(k, WL_KPART_TEXT, address)))
		return false;
	if (address != best->addr)
		snprintf(offset, sizeof(offset), "+%#" PRIx64, address - best->addr);
	room = size > KPLACE_ROOM + strlen(best->module) ? size - KPLACE_ROOM - strlen(best->module) : 0;
	if (*best->module)
		snprintf(text, size, "%.*s%s [%s]", (int)room, best->name, offset, best->module);
	else
		snprintf(text, size, "%.*s%s", (int)room, best->name, offset);
	return true;
}
