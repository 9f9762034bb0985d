/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the verifier reads the file. Every read is bounded by a view of the file's bytes; wv_slice cuts a smaller view
 * out of a larger one. Three readers work on such views:
 *
 *   module.c   reads headers and tables with the cursor below. A read past the end yields zero and sets `failed`, and
 *              every later read fails too; so the caller can take a whole record and check once. All integers are
 *              little-endian;
 *   proof.c    reads numbers of variable length off the front of a view, with functions of its own;
 *   decode.c   reads instructions, and is given the number of bytes that are left.
 */
#ifndef WARD_VERIFIER_CURSOR_H
#define WARD_VERIFIER_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A view of bytes, which it doesn't own. */
struct wv_bytes {
	const uint8_t *p;
	size_t n;
};

struct wv_cursor {
	struct wv_bytes in;
	size_t at; /* next byte, at most in.n */
	bool failed;
};

/* Is [offset, offset + size) inside a thing of `limit` bytes? Never overflows. */
static inline bool wv_fits(uint64_t offset, uint64_t size, uint64_t limit)
{
	return offset <= limit && size <= limit - offset;
}

/* The part [offset, offset + size) of `in`; false and an empty view if it isn't all there. */
static inline bool wv_slice(struct wv_bytes in, uint64_t offset, uint64_t size, struct wv_bytes *out)
{
	*out = (struct wv_bytes){0};
	if (!wv_fits(offset, size, in.n))
		return false;
	if (in.p)
		*out = (struct wv_bytes){in.p + offset, size};
	return true;
}

/* A cursor at `offset` of `in`; one that has failed if `offset` lies outside. */
static inline struct wv_cursor wv_cursor_at(struct wv_bytes in, uint64_t offset)
{
	bool inside = offset <= in.n;

	return (struct wv_cursor){in, inside ? (size_t)offset : in.n, !inside};
}

static inline size_t wv_left(const struct wv_cursor *c)
{
	return c->failed ? 0 : c->in.n - c->at;
}

/* The next `n` bytes, or NULL. */
static inline const uint8_t *wv_take(struct wv_cursor *c, size_t n)
{
	const uint8_t *p;

	if (n > wv_left(c) || !c->in.p) {
		c->failed = true;
		return NULL;
	}
	p = c->in.p + c->at;
	c->at += n;
	return p;
}

static inline uint64_t wv_take_le(struct wv_cursor *c, unsigned n)
{
	const uint8_t *p = wv_take(c, n);
	uint64_t value = 0;

	for (unsigned i = 0; p && i < n; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

static inline uint8_t wv_u8(struct wv_cursor *c)
{
	return (uint8_t)wv_take_le(c, 1);
}

static inline uint16_t wv_u16(struct wv_cursor *c)
{
	return (uint16_t)wv_take_le(c, 2);
}

static inline uint32_t wv_u32(struct wv_cursor *c)
{
	return (uint32_t)wv_take_le(c, 4);
}

static inline uint64_t wv_u64(struct wv_cursor *c)
{
	return wv_take_le(c, 8);
}

#endif
