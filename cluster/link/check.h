/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent tells its link, and a look at the bus by that. Internal to cluster/link. */
#ifndef WARD_CLUSTER_LINK_CHECK_H
#define WARD_CLUSTER_LINK_CHECK_H

#include <stdbool.h>

#include "cluster/bus/bus.h"
#include "cluster/wire/subject.h"

enum { LINK_URLS = 16, LINK_LINE = 1024 };

struct link_settings {
	char name[CLUSTER_NAME], ca[LINK_LINE];
	char *urls[LINK_URLS];
	size_t n_urls;
};

/* Subscribe to all that an agent takes. */
bool link_subscribe(bus *b, const char *name, struct ward_error *err);

/* Say what is wrong; the exit status, 0 if nothing is. */
int link_check(const struct link_settings *settings, const char *creds);

#endif
