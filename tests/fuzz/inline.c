/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what a confined process says of inlined functions, twice: numbers and texts stay within what there is.
 */
#include <stdlib.h>
#include <string.h>

#include "loader/symbols/inline_dwarf.h"
#include "loader/symbols/inline_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESSES = 16 };

static void check(const struct wl_inline_frames *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct wl_inline_place *p = wl_inline_frames_at(f, f->place[i].address);

		if (p != &f->place[i] || p->n > WL_INLINE_DEPTH || p->n > f->n_chain || p->first > f->n_chain - p->n)
			abort();
		for (uint32_t k = 0; k < p->n; k++)
			if (f->chain[p->first + k] >= f->n_names ||
				strlen(f->name[f->chain[p->first + k]]) > WL_INLINE_TEXT)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_inline_frames f = {0};
	uint64_t address[ADDRESSES];
	bool whole;

	f.place = calloc(ADDRESSES, sizeof(*f.place));
	if (!f.place)
		return 0;
	for (f.n = 0; f.n < ADDRESSES; f.n++)
		f.place[f.n].address = address[f.n] = 0x1000 + f.n;
	for (int i = 0; i < 2; i++) {
		wl_inline_frames_take(&f, address + i, ADDRESSES - i, data, size, &whole);
		check(&f);
	}
	wl_inline_frames_free(&f);
	return 0;
}
