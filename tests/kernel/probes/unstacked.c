/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks where a function returns. */
#define SITE ":return"
#include "stacked.h"
