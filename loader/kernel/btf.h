/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of the kernel, or of one of its modules, in BTF: a header, then types, numbered from 1, then their names. The
 * numbers and names of a module's types continue those of the kernel. All of it is untrusted: a number may refer to
 * no type, and types may refer to each other in a circle.
 */
#ifndef WARD_LOADER_KERNEL_BTF_H
#define WARD_LOADER_KERNEL_BTF_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wl_btf {
	uint8_t *bytes;
	const struct wl_btf *base;       /* of a module: the kernel's */
	const char *names;               /* with a zero byte at the end */
	uint32_t names_size, first_name; /* offset of the first one */
	uint32_t *at;                    /* of each type: where in the bytes */
	uint32_t n_types, first_type;
	uint32_t *functions; /* numbers of those that have names, in order of these */
	uint32_t n_functions;
};

/*
 * The bytes, from malloc, become its own; so does what is read from a file. NULL with errno: EINVAL is no BTF, or of a
 * kind that we don't know.
 */
struct wl_btf *wl_btf_parse(uint8_t *bytes, size_t size, const struct wl_btf *base);
struct wl_btf *wl_btf_read(const char *path, const struct wl_btf *base);
void wl_btf_free(struct wl_btf *btf);

/* A type; all that belongs to it is behind it. NULL if there is none of that number; 0 is void. */
const struct btf_type *wl_btf_type(const struct wl_btf *btf, uint32_t number);

/* "" if there is none. */
const char *wl_btf_name(const struct wl_btf *btf, uint32_t offset);

/*
 * The prototype of the function of that name that is told of here, not in the base. NULL if there is none, or several.
 */
const struct btf_type *wl_btf_function(const struct wl_btf *btf, const char *name);

static inline unsigned wl_btf_kind(const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info);
}

static inline bool wl_btf_is_composite(const struct btf_type *type)
{
	return wl_btf_kind(type) == BTF_KIND_STRUCT || wl_btf_kind(type) == BTF_KIND_UNION;
}

/* The number of the type without typedefs and qualifiers. 0: it is void, or leads nowhere. */
uint32_t wl_btf_plain(const struct wl_btf *btf, uint32_t number);

/*
 * c_declarator.c: "struct file *name" or "int (*name)(void *)", as C declares something of a type, and "struct file
 * *file, loff_t *pos", a prototype's parameters from one on. False if it doesn't fit, or can't be said.
 */
bool wl_btf_declare(const struct wl_btf *btf, uint32_t number, const char *name, char *text, size_t size);
bool wl_btf_parameters(
	const struct wl_btf *btf, const struct btf_type *prototype, unsigned first, char *text, size_t size);

/*
 * vmlinux_header.c: all structures and unions as C for ward/kernel.h, of the kernel, v[0], and of modules of its. False
 * with errno: EINVAL if they are too many.
 */
bool wl_btf_header(const struct wl_btf *const *v, size_t n, FILE *out);

#endif
