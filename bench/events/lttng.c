/* SPDX-License-Identifier: Apache-2.0 */
/* See lttng.h: the provider and the functions. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include "lttng.h"

__attribute__((noinline, noclone)) uint64_t with_tracepoint(uint64_t x)
{
	lttng_ust_tracepoint(ward_bench, call, x);
	return x * 3 + 1;
}

__attribute__((noinline, noclone)) uint64_t without_tracepoint(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}
