/* SPDX-License-Identifier: Apache-2.0 */
/* Writing what the verifier's reader has read. */
#ifndef WARD_INFER_REWRITE_H
#define WARD_INFER_REWRITE_H

#include "emit.h"

/*
 * The number becomes what is read once only its views `which` are written, and what is read again once that is. False:
 * it would never be the same.
 */
bool settle_read(struct wv_facts *f, uint16_t which);

/* A proof behind its seal. */
void put_proof(struct bytes *b, const struct wv_proof *p);

#endif
