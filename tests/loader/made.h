/* SPDX-License-Identifier: Apache-2.0 */
/* Types of a kernel, made up for tests. */
#ifndef WARD_TESTS_LOADER_MADE_H
#define WARD_TESTS_LOADER_MADE_H

#include "helper.h"

#include "loader/kernel/btf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO(kind, n) ((uint32_t)(kind) << 24 | (n))
#define WORDS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__})

/* A file of these types and names. */
static inline uint8_t *made(
	const uint32_t *types, size_t types_size, const char *names, size_t names_size, size_t *size)
{
	struct btf_header h = {.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (uint32_t)types_size,
		.str_off = (uint32_t)types_size,
		.str_len = (uint32_t)names_size};
	uint8_t *bytes = malloc(sizeof(h) + types_size + names_size);

	cr_assert(bytes);
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h), types, types_size);
	memcpy(bytes + sizeof(h) + types_size, names, names_size);
	*size = sizeof(h) + types_size + names_size;
	return bytes;
}

/* The header of a kernel and modules, to be freed; NULL if it is refused. */
static inline char *made_header(const struct wl_btf *const *v, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool ok;

	cr_assert(f);
	ok = wl_btf_header(v, n, f);
	cr_assert_eq(fclose(f), 0);
	if (ok)
		return text;
	free(text);
	return NULL;
}

/* A small generator: the same sequence on every machine. */
static inline uint64_t rnd(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif
