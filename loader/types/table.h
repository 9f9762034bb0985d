/* SPDX-License-Identifier: Apache-2.0 */
/* Making a struct ward_types, and passing one through a pipe. table.c describes how. */
#ifndef WARD_LOADER_TYPES_TABLE_H
#define WARD_LOADER_TYPES_TABLE_H

#include "ward/types.h"

enum {
	TABLE_FUNCTIONS = 16384,
	TABLE_PARAMETERS = 65536,
	TABLE_TYPES = 8192,
	TABLE_MEMBERS = 65536,
	TABLE_ENUMERATORS = 16384,
	TABLE_TEXT = 4 << 20,
	TABLE_ARGUMENTS = 6, /* of ev->arg */
};

/* Elements are as in the public table, with places in the text (0: "" or none) instead of strings. */
struct table_function {
	uint32_t asked; /* which function it is, of those that were asked for */
	uint32_t site, why, returns_text, returns, first, n;
};
struct table_parameter {
	uint32_t name, declaration, type, why, member;
	int32_t place;
};
struct table_type {
	uint32_t kind, name, of, first, n;
	uint8_t is_signed, is_char, is_union, is_incomplete;
	uint64_t size;
};
struct table_member {
	uint32_t name, type, bits, unused;
	uint64_t offset;
};
struct table_enumerator {
	uint64_t value;
	uint32_t name, unused;
};

enum table_list { LIST_FUNCTIONS, LIST_PARAMETERS, LIST_TYPES, LIST_MEMBERS, LIST_ENUMERATORS, LIST_TEXT, N_LISTS };

/* Zero at first. */
struct table {
	struct list {
		uint8_t *bytes;
		uint32_t n, room;
	} lists[N_LISTS];
	bool is_cut;
};

/*
 * The next element of a list, zeroed; its number is the list's n - 1. NULL: there is no room. What a list has moves
 * when one is added. The first type is made with the table's first element: number 0, unknown.
 */
void *table_add(struct table *t, enum table_list list);
uint32_t table_text(struct table *t, const char *text);
void table_free(struct table *t);

static inline struct table_type *table_type(const struct table *t, uint32_t i)
{
	return (struct table_type *)t->lists[LIST_TYPES].bytes + i;
}

static inline struct table_parameter *table_parameter(const struct table *t, uint32_t i)
{
	return (struct table_parameter *)t->lists[LIST_PARAMETERS].bytes + i;
}

static inline struct table_function *table_function(const struct table *t, uint32_t i)
{
	return (struct table_function *)t->lists[LIST_FUNCTIONS].bytes + i;
}

static inline const char *table_string(const struct table *t, uint32_t at)
{
	return at ? (const char *)t->lists[LIST_TEXT].bytes + at : "";
}

/* A table as bytes for a pipe; at most TABLE_BYTES. */
enum {
	TABLE_BYTES =
		TABLE_TEXT + 32 * (TABLE_FUNCTIONS + TABLE_PARAMETERS + TABLE_TYPES + TABLE_MEMBERS + TABLE_ENUMERATORS)
};
bool table_write(const struct table *t, int fd);

/*
 * Add what a pipe gave; it may be anything. Functions are named by `sites`, n of them, by the number that was asked.
 * Returns 0, ENOMEM, or EINVAL: it is no table, and nothing was added.
 */
int table_take(struct table *into, const uint8_t *bytes, size_t size, const char *const *sites, size_t n);

/* The public table, which is one allocation. NULL without memory. */
struct ward_types *table_finish(const struct table *t);

#endif
