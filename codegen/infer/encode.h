/* SPDX-License-Identifier: Apache-2.0 */
/* Writing what the verifier's reader has read. */
#ifndef WARD_INFER_ENCODE_H
#define WARD_INFER_ENCODE_H

#include "emit.h"

/*
 * Make the facts' number the one that is read when only the views in `which` are written, and then read again until
 * it stays the same. False: it would never stay the same.
 */
bool settle_read(struct wv_facts *f, uint16_t which);

/* A proof behind its seal. */
void put_proof(struct bytes *b, const struct wv_proof *p);

#endif
