/* SPDX-License-Identifier: Apache-2.0 */
/* Several names of one function: which one do people write? */
#ifndef WARD_LOADER_ALIAS_H
#define WARD_LOADER_ALIAS_H

#include <stdbool.h>

/* Would people rather write the first name than the second? Versions ("memcpy@@GLIBC_2.14") don't count. */
bool wl_is_plainer(const char *a, const char *b);

#endif
