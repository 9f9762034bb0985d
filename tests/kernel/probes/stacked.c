/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks at what the caller names. */
#define SITE ""
#include "stacked.h"
