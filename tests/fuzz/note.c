/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the descriptor of a good module's note: the first byte chooses the function, the rest is the
 * descriptor. The proof is inferred.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "codegen/infer/infer.h"

/* Let section `i` of a file be the last `size` bytes of it. */
static void make_last(struct bm_file *f, unsigned i, size_t size)
{
	bm_set(f, bm_shdr(f, i, offsetof(Elf64_Shdr, sh_offset)), 8, f->size - size);
	bm_set(f, bm_shdr(f, i, offsetof(Elf64_Shdr, sh_size)), 8, size);
}

static void append(struct bm_file *f, const void *bytes, size_t size)
{
	f->data = realloc(f->data, f->size + size);
	if (!f->data)
		abort();
	if (size)
		memcpy(f->data + f->size, bytes, size);
	f->size += size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t header[] = {5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'W', 'a', 'r', 'd', 0, 0, 0, 0};
	size_t text_size, proof_size;
	uint8_t *proof = NULL;
	const char *why;

	if (!size || size > 4096)
		return 0;
	const uint8_t *text = fuzz_base(data[0] % fuzz_n_bases(), &text_size);
	data++, size--;
	header[4] = (uint8_t)size;
	header[5] = (uint8_t)(size >> 8);

	struct bm_file f = fuzz_module(text, text_size, 0, (const uint8_t *)"", 1);
	append(&f, "\0\0\0\0", -f.size & 3);
	append(&f, header, sizeof header);
	append(&f, data, size);
	make_last(&f, f.note_section, sizeof header + size);
	if (ward_infer(f.data, f.size, NULL, &proof, &proof_size, &why) == 0) {
		append(&f, proof, proof_size);
		make_last(&f, f.proof_section, proof_size);
		free(proof);
		fuzz_verify(f.data, f.size, true);
	} else {
		fuzz_verify(f.data, f.size, false);
	}
	bm_free(&f);
	return 0;
}
