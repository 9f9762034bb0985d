/* SPDX-License-Identifier: MIT-0 */
/*
 * ward/query.h: what probes that `ward query` writes need beside the dialect.
 */
#ifndef WARD_QUERY_PROBE_H
#define WARD_QUERY_PROBE_H

#include <ward/imports.h>
#include <ward/probe.h>

/* A query may compare what is equal, or below any limit: that is its author's matter. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wtautological-compare"
#pragma clang diagnostic ignored "-Wtype-limits"
#endif

/* An address as a key: its type says that it is one. */
typedef const void *ward_query_address;

/*
 * Nanoseconds of so many counts of the time stamp counter. `scale` is nanoseconds in 2^32 counts: a setting of the
 * machine that the probe runs on.
 */
WARD_INLINE unsigned long ward_query_ns(unsigned long counts, unsigned long scale)
{
	return (unsigned long)(((unsigned __int128)counts * scale) >> 32);
}

/*
 * Quotients and rests. Of a division by zero *zero tells, and the event is left out: C leaves that open, and a compiler
 * may make 0 of it. By -1 the processor would trap at the least number; here it wraps.
 */
WARD_INLINE unsigned long ward_query_div(unsigned long a, unsigned long b, bool *zero)
{
	*zero |= b == 0;
	return b == 0 ? 0 : a / b;
}

WARD_INLINE unsigned long ward_query_mod(unsigned long a, unsigned long b, bool *zero)
{
	*zero |= b == 0;
	return b == 0 ? 0 : a % b;
}

WARD_INLINE long ward_query_signed_div(long a, long b, bool *zero)
{
	*zero |= b == 0;
	return b == 0 ? 0 : b == -1 ? (long)(0ul - (unsigned long)a) : a / b;
}

WARD_INLINE long ward_query_signed_mod(long a, long b, bool *zero)
{
	*zero |= b == 0;
	return b == 0 || b == -1 ? 0 : a % b;
}

/* Memory and texts of the target: of a process, or of the kernel, by which the probe is for. */
#ifdef WARD_QUERY_KERNEL
#define ward_query_copy ward_kernel_read
#define ward_query_str ward_kernel_read_str
#else
#define ward_query_copy ward_read
#define ward_query_str ward_read_str
#endif

/* A number of the target's memory; 0 if it can't be read. */
#define WARD_QUERY_READ(name, type) \
	WARD_INLINE type name(unsigned long address) \
	{ \
		type value = 0; \
		ward_query_copy(&value, sizeof(value), address); \
		return value; \
	}
WARD_QUERY_READ(ward_query_read_u8, uint8_t)
WARD_QUERY_READ(ward_query_read_i8, int8_t)
WARD_QUERY_READ(ward_query_read_u16, uint16_t)
WARD_QUERY_READ(ward_query_read_i16, int16_t)
WARD_QUERY_READ(ward_query_read_u32, uint32_t)
WARD_QUERY_READ(ward_query_read_i32, int32_t)
WARD_QUERY_READ(ward_query_read_u64, uint64_t)
WARD_QUERY_READ(ward_query_read_i64, int64_t)

#endif
