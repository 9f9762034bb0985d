/* SPDX-License-Identifier: Apache-2.0 */
/* An array that grows. */
#ifndef WARD_CLUSTER_ARRAY_H
#define WARD_CLUSTER_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Let an array, which has room for *room elements of `size` bytes, have room for n; new ones are zeroed. False: no
 * memory.
 */
bool cluster_array_grow(void *array, size_t *room, size_t n, size_t size);

#endif
