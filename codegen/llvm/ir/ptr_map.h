/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by pointer: which instruction, block or value has which number. */
#ifndef WARD_LLVM_PTR_MAP_H
#define WARD_LLVM_PTR_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct index {
	struct index_slot *slot;
	size_t n, cap;
};

/* Set the number of a key that isn't NULL. Returns false if there is no memory. */
bool index_set(struct index *x, const void *key, int number);
/* The number of a key, or `none`. */
int index_get(const struct index *x, const void *key, int none);
void index_free(struct index *x);

#endif
