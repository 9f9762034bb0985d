/* SPDX-License-Identifier: MIT-0 */
/*
 * ward/query.h: what probes that `ward query` writes need beside the dialect.
 */
#ifndef WARD_QUERY_PROBE_H
#define WARD_QUERY_PROBE_H

#include <ward/imports.h>
#include <ward/probe.h>

/* A query may compare what is equal, or below any limit, and ask what it doesn't use: that is its author's matter. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wtautological-compare"
#pragma clang diagnostic ignored "-Wtype-limits"
#pragma clang diagnostic ignored "-Wunused-variable"
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
 * Quotients and rests. A division by zero sets *zero to its place, unless it is set, and the event is left out: C
 * leaves that open, and a compiler may make 0 of it. By -1 the processor would trap at the least number; here it wraps.
 */
WARD_INLINE bool ward_query_is_zero(bool is, unsigned *zero, unsigned place)
{
	*zero = is && *zero == 0 ? place : *zero;
	return is;
}

WARD_INLINE unsigned long ward_query_div(unsigned long a, unsigned long b, unsigned *zero, unsigned place)
{
	return ward_query_is_zero(b == 0, zero, place) ? 0 : a / b;
}

WARD_INLINE unsigned long ward_query_mod(unsigned long a, unsigned long b, unsigned *zero, unsigned place)
{
	return ward_query_is_zero(b == 0, zero, place) ? 0 : a % b;
}

WARD_INLINE long ward_query_signed_div(long a, long b, unsigned *zero, unsigned place)
{
	return ward_query_is_zero(b == 0, zero, place) ? 0 : b == -1 ? (long)(0ul - (unsigned long)a) : a / b;
}

WARD_INLINE long ward_query_signed_mod(long a, long b, unsigned *zero, unsigned place)
{
	return ward_query_is_zero(b == 0, zero, place) || b == -1 ? 0 : a % b;
}

/* By what is known not to be zero, but only when the probe is attached. */
WARD_INLINE unsigned long ward_query_quotient(unsigned long a, unsigned long b)
{
	return b == 0 ? 0 : a / b;
}

/* The largest power of two that isn't above it; 0 of 0. */
WARD_INLINE unsigned long ward_query_log2(unsigned long value)
{
	return 63 - (unsigned long)__builtin_clzl(value | 1);
}

/*
 * What is known of earlier events: each takes in a number, and returns what it knew before. At first that is the number
 * itself.
 */
struct ward_query_last {
	unsigned long n, value;
};

WARD_INLINE unsigned long ward_query_last(struct ward_query_last *last, unsigned long value)
{
	unsigned long before = last->n ? last->value : value;

	last->n = 1;
	last->value = value;
	return before;
}

/* The mean of all, each number with a weight of 1/16 then: in fixed point, rounded down. Numbers have at most 2^58. */
struct ward_query_mean {
	unsigned long n;
	long scaled; /* the mean times 16 */
};

WARD_INLINE long ward_query_signed_mean(struct ward_query_mean *mean, long value)
{
	const long most = 1l << 58;
	long before = mean->n ? mean->scaled >> 4 : value;

	value = value > most ? most : value < -most ? -most : value;
	mean->scaled = mean->n ? mean->scaled + value - (mean->scaled >> 4) : value * 16;
	mean->n = 1;
	return before;
}

WARD_INLINE unsigned long ward_query_mean(struct ward_query_mean *mean, unsigned long value)
{
	unsigned long before = mean->n ? (unsigned long)(mean->scaled >> 4) : value;

	ward_query_signed_mean(mean, (long)(value > 1ul << 58 ? 1ul << 58 : value));
	return before;
}

/* The mean of the last N, rounded to zero. */
#define WARD_QUERY_WINDOW(N) \
	struct { \
		unsigned long n, at, sum; \
		unsigned long last[N]; \
	}

#define ward_query_window(w, v) WARD_QUERY_WINDOW_NEXT(w, v, unsigned long)
#define ward_query_signed_window(w, v) WARD_QUERY_WINDOW_NEXT(w, v, long)
#define WARD_QUERY_WINDOW_NEXT(w, v, type) \
	({ \
		__typeof__(&*(w)) ward_w = (w); \
		const unsigned long ward_most = sizeof(ward_w->last) / sizeof(ward_w->last[0]); \
		unsigned long ward_at = ward_w->at < ward_most ? ward_w->at : 0, ward_n = ward_w->n; \
		unsigned long ward_v = (unsigned long)(v); \
		type ward_mean = ward_n == ward_most ? (type)ward_w->sum / (type)ward_most \
				 : ward_n            ? (type)ward_w->sum / (type)ward_n \
						     : (type)ward_v; \
		ward_w->sum += ward_v - ward_w->last[ward_at]; \
		ward_w->last[ward_at] = ward_v; \
		ward_w->at = ward_at + 1; \
		ward_w->n = ward_n < ward_most ? ward_n + 1 : ward_most; \
		ward_mean; \
	})

/* Are the texts the same, both with their zero byte? The first is what was read of the target. */
WARD_INLINE bool ward_query_same(const char *text, unsigned long size, const char *other, unsigned long n)
{
	bool same = n <= size;

	for (unsigned long i = 0; same && i < n; i++)
		same = text[i] == other[i];
	return same;
}

/* The last N records of a thread, until they are wanted. */
#define WARD_QUERY_LAST(T, N) \
	struct { \
		unsigned long n, at; \
		__typeof__(T) slot[N]; \
	}

#define ward_query_keep(last, r) \
	do { \
		__typeof__(&*(last)) ward_l = (last); \
		const unsigned long ward_most = sizeof(ward_l->slot) / sizeof(ward_l->slot[0]); \
		unsigned long ward_at = ward_l->at < ward_most ? ward_l->at : 0; \
		ward_l->slot[ward_at] = (r); \
		ward_l->at = ward_at + 1; \
		ward_l->n += ward_l->n < ward_most; \
	} while (0)

/* The oldest first; each of them once. */
#define ward_query_recall(last, rows) \
	do { \
		__typeof__(&*(last)) ward_l = (last); \
		const unsigned long ward_most = sizeof(ward_l->slot) / sizeof(ward_l->slot[0]); \
		unsigned long ward_at = ward_l->at; \
		for (unsigned long ward_i = 0; ward_i < ward_most; ward_i++) { \
			ward_at = ward_at < ward_most ? ward_at : 0; \
			if (ward_i + ward_l->n >= ward_most) \
				ward_ring_push(rows, ward_l->slot[ward_at]); \
			ward_at++; \
		} \
		ward_l->n = 0; \
	} while (0)

/* Which bits a number has: counted each by itself, in a WARD_LINEAR(0, 1, 64). */
#define ward_query_bits_add(bits, v) \
	do { \
		__typeof__(&*(bits)) ward_l = (bits); \
		unsigned long ward_v = (v); \
		for (unsigned ward_i = 0; ward_v && ward_i < 64; ward_i++, ward_v &= ward_v - 1) \
			ward_l->bucket[__builtin_ctzl(ward_v) + 1]++; \
	} while (0)

/* Memory and texts of the target: of a process, or of the kernel, by which the probe is for. */
#ifdef WARD_QUERY_KERNEL
/*
 * The kernel brings no page in while a probe runs: memory that isn't there at the moment can't be read, though its
 * process could. So it is counted how often that was so, in the state's member `unread`, of which the result says it.
 * No address at all is no memory.
 */
WARD_INLINE unsigned long ward_query_copy_counted(
	ward_count *unread, void *to, unsigned long size, unsigned long address)
{
	unsigned long n = ward_kernel_read(to, size, address);

	*unread += n != size && address;
	return n;
}

/* An empty text has no bytes either: then one byte tells whether there is memory. */
WARD_INLINE unsigned long ward_query_str_counted(
	ward_count *unread, char *to, unsigned long size, unsigned long address)
{
	unsigned long n = ward_kernel_read_str(to, size, address);
	char first;

	if (n == 0)
		ward_query_copy_counted(unread, &first, 1, address);
	return n;
}

/* Has memory these bytes, at most 64? */
WARD_INLINE bool ward_query_match_counted(ward_count *unread, const char *with, unsigned long n, unsigned long address)
{
	char text[64];

	return ward_query_copy_counted(unread, text, sizeof(text) < n ? sizeof(text) : n, address) == n &&
	       ward_query_same(text, sizeof(text), with, n);
}

#define ward_query_try ward_kernel_read
#define ward_query_copy(to, size, address) ward_query_copy_counted(&st->unread, to, size, address)
#define ward_query_str(to, size, address) ward_query_str_counted(&st->unread, to, size, address)
#define ward_query_match(with, n, address) ward_query_match_counted(&st->unread, with, n, address)

/* The running process, and the name of its running thread. */
WARD_INLINE long ward_query_pid(void)
{
	struct ward_current it;

	ward_kernel_current(&it, sizeof(it));
	return (int)it.pid;
}

WARD_INLINE void ward_query_process(char name[16])
{
	struct ward_current it;

	ward_kernel_current(&it, sizeof(it));
	__builtin_memcpy(name, it.comm, sizeof(it.comm));
}

WARD_INLINE bool ward_query_is_process(const char *with, unsigned long n)
{
	struct ward_current it;

	ward_kernel_current(&it, sizeof(it));
	return ward_query_same(it.comm, sizeof(it.comm), with, n);
}
#else
#define ward_query_try ward_read
#define ward_query_copy ward_read
#define ward_query_str ward_read_str
#define ward_query_match(with, n, address) (ward_match(with, n, address) != 0)
#endif

/* Bytes of a text before its zero: of the target, of which `most` bytes are looked at; or of one that was copied. */
#define ward_query_length_at(most, address) \
	({ \
		char ward_text[64]; \
		(long)ward_query_str(ward_text, most, address); \
	})

WARD_INLINE long ward_query_length(const char *text, unsigned long size)
{
	unsigned long n = 0;

	while (n < size && text[n])
		n++;
	return (long)n;
}

/* A number of the target's memory; 0 if it can't be read. */
#define ward_query_read(type, address) \
	({ \
		type ward_value = 0; \
		ward_query_copy(&ward_value, sizeof(ward_value), address); \
		ward_value; \
	})
#define ward_query_read_u8(address) ward_query_read(uint8_t, address)
#define ward_query_read_i8(address) ward_query_read(int8_t, address)
#define ward_query_read_u16(address) ward_query_read(uint16_t, address)
#define ward_query_read_i16(address) ward_query_read(int16_t, address)
#define ward_query_read_u32(address) ward_query_read(uint32_t, address)
#define ward_query_read_i32(address) ward_query_read(int32_t, address)
#define ward_query_read_u64(address) ward_query_read(uint64_t, address)
#define ward_query_read_i64(address) ward_query_read(int64_t, address)

/* The same of a part of what was read as a whole. */
#define WARD_QUERY_PART(name, type) \
	WARD_INLINE type name(const char *at) \
	{ \
		type value; \
		__builtin_memcpy(&value, at, sizeof(value)); \
		return value; \
	}
WARD_QUERY_PART(ward_query_part_u8, uint8_t)
WARD_QUERY_PART(ward_query_part_i8, int8_t)
WARD_QUERY_PART(ward_query_part_u16, uint16_t)
WARD_QUERY_PART(ward_query_part_i16, int16_t)
WARD_QUERY_PART(ward_query_part_u32, uint32_t)
WARD_QUERY_PART(ward_query_part_i32, int32_t)
WARD_QUERY_PART(ward_query_part_u64, uint64_t)
WARD_QUERY_PART(ward_query_part_i64, int64_t)

#endif
