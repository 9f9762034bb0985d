/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two patterns have in common. Patterns are as in sites: * ? [...] and a backslash before a character that is
 * meant as it is. Both answers err to the careful side where a set of characters is involved.
 */
#ifndef WARD_CLUSTER_AGENT_GLOB_H
#define WARD_CLUSTER_AGENT_GLOB_H

#include <stdbool.h>

/* Does `outer` fit everything that `inner` fits? If true, it does. */
bool agent_glob_covers(const char *outer, const char *inner);
/* Is there a text that both fit? If false, there is none. */
bool agent_glob_meets(const char *one, const char *other);

#endif
