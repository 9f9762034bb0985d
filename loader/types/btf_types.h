/* SPDX-License-Identifier: Apache-2.0 */
/* From BTF to a table of types. btf_types.c describes how. */
#ifndef WARD_LOADER_TYPES_BTF_TYPES_H
#define WARD_LOADER_TYPES_BTF_TYPES_H

#include "loader/kernel/btf.h"
#include "table.h"

/* Which types of one BTF have been read. Zero at first; free what is in it with btf_types_free. */
struct btf_reader {
	const struct wl_btf *btf;
	struct table *table;
	struct btf_seen {
		uint32_t number, type; /* in the BTF; in the table */
	} *seen;                       /* in the order of the table */
	uint32_t n, room, read;
	uint32_t *slots; /* by number: 1 + which of seen */
	uint32_t n_slots;
};

/* The type of that number in the table; 0: unknown. It and what it leads to are read by btf_types_read. */
uint32_t btf_type_number(struct btf_reader *r, uint32_t number);
void btf_types_read(struct btf_reader *r);
void btf_types_free(struct btf_reader *r);

#endif
