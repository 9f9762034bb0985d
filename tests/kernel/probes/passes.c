/* SPDX-License-Identifier: Apache-2.0 */
/* Several probes of one tracepoint. */
#include "words.h"

#define AT_POINT(n) PROBE(n, "kernel:ward_points:ward_six")
EACH_SET(AT_POINT)
