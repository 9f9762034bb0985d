/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe does in place of a function that it doesn't have. */
#ifndef WARD_CODEGEN_ADVICE_H
#define WARD_CODEGEN_ADVICE_H

#include <stdbool.h>

extern const char cg_no_floating[]; /* of floating point */

/* A * at the pattern's beginning or end stands for anything. */
bool cg_fits(const char *pattern, const char *name);

/* NULL: nothing is known of a function of that name. */
const char *cg_advice(const char *function);

/* The name that an author knows it by, where it is a macro's or a header's own: "isdigit and its like"; or NULL. */
const char *cg_spoken(const char *function);

#endif
