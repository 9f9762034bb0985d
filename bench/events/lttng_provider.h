/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracepoint ward_bench:call, which records its argument, in the form that LTTng's headers include several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ward_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_provider.h"

#if !defined(WARD_BENCH_EVENTS_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define WARD_BENCH_EVENTS_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(ward_bench, call, LTTNG_UST_TP_ARGS(uint64_t, argument),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, argument, argument)))

#endif

#include <lttng/tracepoint-event.h>
