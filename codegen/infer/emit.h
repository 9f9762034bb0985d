/* Writing the proof: spec/proof.md. */
#ifndef WARD_INFER_EMIT_H
#define WARD_INFER_EMIT_H

#include "fixpoint.h"

/* Bytes that grow; `failed` sticks. */
struct bytes {
	uint8_t *p;
	size_t n, cap;
	bool failed;
};

void put_u8(struct bytes *b, uint8_t v);
void put_u(struct bytes *b, uint64_t v);
void put_s(struct bytes *b, int64_t v);

/* Append the proof of one analysed function. */
void emit_function(struct bytes *out, const struct analysis *a);

#endif
