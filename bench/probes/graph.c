/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of ward graph: a tree of calls, with the time from entry to return. */
#include "../../probes/graph.c"
