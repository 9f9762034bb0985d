/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"

#include <stdlib.h>
#include <string.h>

void cg_buf_free(struct cg_buf *b)
{
	free(b->p);
	*b = (struct cg_buf){0};
}

static bool buf_reserve(struct cg_buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	uint8_t *p;

	if (b->failed)
		return false;
	if (n <= b->cap - b->n)
		return true;
	while (cap - b->n < n) {
		if (cap > SIZE_MAX / 2) {
			b->failed = true;
			return false;
		}
		cap *= 2;
	}
	p = realloc(b->p, cap);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

uint8_t *cg_buf_zeros(struct cg_buf *b, size_t n)
{
	uint8_t *at;

	if (!buf_reserve(b, n))
		return NULL;
	at = b->p + b->n;
	if (n)
		memset(at, 0, n);
	b->n += n;
	return at;
}

void cg_buf_put(struct cg_buf *b, const void *data, size_t n)
{
	uint8_t *at = cg_buf_zeros(b, n);

	if (at && n)
		memcpy(at, data, n);
}

void cg_buf_u32(struct cg_buf *b, uint32_t v)
{
	cg_buf_put(b, &v, sizeof(v)); /* little-endian, as the host is */
}

void cg_buf_u64(struct cg_buf *b, uint64_t v)
{
	cg_buf_put(b, &v, sizeof(v));
}

void cg_buf_align(struct cg_buf *b, size_t align)
{
	cg_buf_zeros(b, -b->n & (align - 1));
}

uint32_t cg_buf_str(struct cg_buf *b, const char *s)
{
	uint32_t at = (uint32_t)b->n;

	cg_buf_put(b, s, strlen(s) + 1);
	return at;
}
