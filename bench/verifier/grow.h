/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of any size for measuring the verifier. */
#ifndef WARD_BENCH_GROW_H
#define WARD_BENCH_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions, each with its proof, to be repeated. */
struct stock;

/*
 * Take the one function of an accepted module, if it is the module's only one and uses neither rodata nor data.
 * Otherwise false.
 */
bool stock_add(struct stock **stock, const uint8_t *module, size_t size);
size_t stock_functions(const struct stock *stock);
size_t stock_bytes(const struct stock *stock);
void stock_free(struct stock *stock);

/*
 * A module whose text is the stock's functions over and over from number *next on, about `text` bytes of them; *next
 * becomes the one after its last. malloc'd; NULL: no memory.
 */
uint8_t *stock_module(const struct stock *stock, size_t text, size_t *next, size_t *size);

#endif
