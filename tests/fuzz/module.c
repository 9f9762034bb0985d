/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a module file. They are verified as they are. If they parse up to the seal, they are verified again
 * with the right seal, to reach the checks behind it; and a proof is inferred for them.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "codegen/infer/infer.h"
#include "verifier/file/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wv_sink sink = {0};
	struct wv_module m;
	uint8_t *proof = NULL;
	size_t proof_size;
	const char *why;

	fuzz_verify(data, size, false);
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	if (wv_module_parse(&m, copy, size, UINT32_MAX, &sink) && m.text_bytes.n <= 4096) {
		if (ward_infer(copy, size, NULL, &proof, &proof_size, &why) == 0)
			free(proof);
		if (m.proof.p && m.proof.n >= 13) {
			uint64_t seal = wv_module_seal(&m, (struct wv_bytes){m.proof.p + 13, m.proof.n - 13});

			memcpy(copy + (m.proof.p - copy) + 5, &seal, 8);
			fuzz_verify(copy, size, false);
		}
	}
	free(copy);
	return 0;
}
