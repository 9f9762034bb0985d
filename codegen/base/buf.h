/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte buffer. Memory that runs out is remembered: further writes do nothing, and the buffer says so at the
 * end.
 */
#ifndef WARD_CODEGEN_BUF_H
#define WARD_CODEGEN_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cg_buf {
	uint8_t *p;
	size_t n, cap;
	bool failed; /* no memory: the contents are incomplete */
};

void cg_buf_free(struct cg_buf *b);
/* n zero bytes at the end; the place where they start, or NULL. The pointer is valid until the next write. */
uint8_t *cg_buf_zeros(struct cg_buf *b, size_t n);
void cg_buf_put(struct cg_buf *b, const void *data, size_t n);
void cg_buf_u32(struct cg_buf *b, uint32_t v);
void cg_buf_u64(struct cg_buf *b, uint64_t v);
/* Pad with zeros to a multiple of align, which is a power of two. */
void cg_buf_align(struct cg_buf *b, size_t align);
/* Append a string with its zero byte; returns its offset. */
uint32_t cg_buf_str(struct cg_buf *b, const char *s);

#endif
