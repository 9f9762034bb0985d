/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a proof. It is sealed, so that its reader and the check of its claims are reached. The first byte
 * chooses the function of bases.S to prove; from 128 on the function's code comes from the input too, after a byte
 * with its length. Its bit of 64 chooses the proof's version, 1 or 2.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *text;
	size_t text_size;

	if (size < 2 || size > 4096)
		return 0;
	uint8_t version = data[0] & 64 ? 2 : 1;
	if (data[0] < 128) {
		text = fuzz_base(data[0] % fuzz_n_bases(), &text_size);
		data++, size--;
	} else {
		text_size = data[1] ? data[1] : 1;
		data += 2, size -= 2;
		if (text_size >= size)
			return 0;
		text = data;
		data += text_size, size -= text_size;
	}
	struct bm_file f = fuzz_module(text, text_size, version, data, size);
	fuzz_verify(f.data, f.size, false);
	bm_free(&f);
	return 0;
}
