/* SPDX-License-Identifier: Apache-2.0 */
#include "site.h"

#include <string.h>

const char cg_site_hint[] =
	"a site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or a tracepoint, "
	"MODULE!:PROVIDER:NAME or kernel:SUBSYSTEM:EVENT, or profile:HZ, interval:TIME, EVENT:N; leave it empty to "
	"give it with -f";

/*
 * A site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or MODULE![FUNCTION]:PROVIDER:NAME, or
 * kernel:SUBSYSTEM:EVENT; or profile:HZ, interval:TIME or EVENT:N; or :entry or :return alone, or nothing. The colons
 * of C++ names stand in pairs, those of globs in brackets.
 */
static unsigned site_colons(const char *s, const char **last)
{
	unsigned n = 0;

	for (const char *p = s; *p; p++) {
		if (*p != ':')
			continue;
		if (p[1] == ':') {
			p++;
		} else if (p == s || (p[-1] != '[' && p[1] != ']')) {
			*last = p;
			n++;
		}
	}
	return n;
}

static bool is_kernel_tracepoint(const char *site)
{
	const char *event = strncmp(site, "kernel:", 7) == 0 ? strchr(site + 7, ':') : NULL;

	return event && event != site + 7 && event[1] && !strchr(event + 1, ':');
}

/* Reached by time or by the count of an event; which events there are the loader knows. */
static bool is_sample(const char *site)
{
	size_t name = strspn(site, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
	const char *how = site + name + 1;

	return name && strncmp(site, "kernel:", 7) != 0 && site[name] == ':' && *how >= '0' && *how <= '9' &&
	       how[strspn(how, "0123456789abcdefghijklmnopqrstuvwxyz")] == '\0';
}

bool cg_site_fits(const char *site, bool kernel)
{
	return is_sample(site) || (strncmp(site, "kernel!", 7) == 0 || is_kernel_tracepoint(site)) == kernel;
}

bool cg_site_kind(const char *site, uint32_t *kind)
{
	const char *bang = strchr(site, '!'), *function = bang ? bang + 1 : site, *last = "";
	unsigned colons = site_colons(function, &last);
	bool entry = colons == 1 && strcmp(last, ":entry") == 0, exit = colons == 1 && strcmp(last, ":return") == 0;
	/* for the loader an entry that has another place: its kind is 0 */
	bool thrown = colons == 1 && strcmp(last, ":throw") == 0;
	bool tracepoint = colons == 2 && last[1] != '\0' && last[-1] != ':';

	*kind = !is_kernel_tracepoint(site) && exit;
	return is_kernel_tracepoint(site) || is_sample(site) || site[0] == '\0' ||
	       (bang && bang != site && function[0] != '\0' &&
		       (colons == 0 || tracepoint || ((entry || exit || thrown) && last != function))) ||
	       (!bang && (entry || exit) && last == function);
}
