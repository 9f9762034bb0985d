/* SPDX-License-Identifier: Apache-2.0 */
/* At one tracepoint, all of them. */
#include "words.h"

#define AT_POINT(n) PROBE(n, "kernel:ward_points:ward_six")
EACH_SET(AT_POINT)
