/* SPDX-License-Identifier: Apache-2.0 */
/* Why a message, a file or a wish is refused, in words: `ward: what: why (C-33)`. */
#ifndef WARD_CLUSTER_WIRE_REFUSE_H
#define WARD_CLUSTER_WIRE_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "ward/ward.h"

/*
 * Fill *err, which may be NULL, and return false. Cut to fit; characters that can't be printed become question marks.
 * `rule` of spec/cluster.md, or NULL where none is broken (there is no memory, a file can't be written).
 */
bool cluster_refuse(struct ward_error *err, const char *what, const char *rule, const char *why, ...)
	__attribute__((format(printf, 4, 5)));
/* Bytes of a message as text: what can't be printed becomes a question mark. */
void cluster_text(const void *bytes, size_t n, char *text, size_t size);

#endif
