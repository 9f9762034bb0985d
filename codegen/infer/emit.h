/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the proof: spec/proof.md. */
#ifndef WARD_INFER_EMIT_H
#define WARD_INFER_EMIT_H

#include "fixpoint.h"

/* A growing buffer of bytes. Once `failed`, it stays so. */
struct bytes {
	uint8_t *p;
	size_t n, cap;
	bool failed;
	uint8_t version; /* of the proof that it is; 0: 1 */
};

void put_u8(struct bytes *b, uint8_t v);
void put_u(struct bytes *b, uint64_t v);
void put_s(struct bytes *b, int64_t v);
void put_loc(struct bytes *b, struct wv_loc loc);
/* The facts of a claim, as they are. */
void put_facts(struct bytes *b, const struct wv_facts *f);

/* The views of `n` that determine all of it, given that it is within `from`. */
uint16_t needed_facts(const struct wv_num *n, const struct wv_num *from);

/* Append the proof of one analysed function. */
void emit_function(struct bytes *out, const struct analysis *a);

/* The section's bytes: magic, version, seal, and what is sealed. The caller frees *proof. False: no memory. */
bool seal_proof(const struct wv_module *m, const struct bytes *rest, uint8_t **proof, size_t *size);

#endif
