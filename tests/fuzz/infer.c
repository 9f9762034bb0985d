/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as code, up to 4 KB. A proof is inferred for them, which must be well-formed whatever they are, and the
 * module is verified with it. It runs with a time limit, since no code of this size may keep the inference busy.
 */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t proof_size;

	if (!size || size > 4096)
		return 0;
	struct bm_file f = fuzz_module(data, size, 0, NULL, 0);
	uint8_t *proof = fuzz_infer(&f, &proof_size);
	bm_free(&f);
	if (!proof)
		return 0;
	f = fuzz_module(data, size, proof[4], proof + 13, proof_size - 13);
	fuzz_verify(f.data, f.size, true);
	bm_free(&f);
	free(proof);
	return 0;
}
