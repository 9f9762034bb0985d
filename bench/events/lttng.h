/* SPDX-License-Identifier: Apache-2.0 */
/* A function with a tracepoint of LTTng-UST, and its twin without one. */
#ifndef WARD_BENCH_EVENTS_LTTNG_H
#define WARD_BENCH_EVENTS_LTTNG_H

#include <stdint.h>

uint64_t with_tracepoint(uint64_t x);
uint64_t without_tracepoint(uint64_t x);

#endif
