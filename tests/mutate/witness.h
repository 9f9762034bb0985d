/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a proof's claims against a running module. Whenever control reaches a block while the module is watched,
 * everything that the proof claims there must be true: where registers and slots point and which numbers they hold,
 * what is saved in them, and how they relate to each other, to a loop's last iteration, to the number of its
 * iterations and to cursors. At a return, what the function's contract says must be true. So an accepted but false
 * claim is seen when it is first false, even if it causes no harm.
 *
 * The verifier's own reader reads the proof. What the proof means is written here a second time, from spec/proof.md.
 */
#ifndef WARD_TESTS_WITNESS_H
#define WARD_TESTS_WITNESS_H

#include <stddef.h>

#include "verifier/proof/proof.h"

enum { WITNESS_FRAMES = 1024, WITNESS_GHOSTS = 64, WITNESS_CURSORS = 16 };

/* A function that is being executed. */
struct witness_frame {
	const struct wv_function *f;
	uint64_t rsp, reg[WV_NREG];     /* at its entry */
	uint64_t window[WV_MAX_LENT];   /* where those that it was lent begin */
	uint32_t last;                  /* the block that control came to last */
	uint64_t ghost[WITNESS_GHOSTS]; /* of the first so many */
	bool known[WITNESS_GHOSTS];
	uint64_t rounds[WITNESS_GHOSTS]; /* of the first so many loops: back edges since it was entered */
	int64_t cursor[WITNESS_CURSORS]; /* of the first so many */
};

struct witness {
	struct wv_module module;
	struct wv_proof proof;
	void *arena;
	uint32_t *block_at;           /* by offset in the text: a block's number plus one */
	uint64_t text, base[WV_LENT]; /* addresses; of the stack none */
	struct witness_frame *frame;
	size_t n_frames;
	char why[200];
};

/* False: the file can't be read, or there is no memory. */
bool witness_open(struct witness *w, const void *file, size_t size);
/* Before a run: where the regions are. */
void witness_begin(struct witness *w, uint64_t text, const uint64_t base[WV_LENT]);
/* Control is at `rip`, with these registers in encoding order. NULL, or what is claimed and not so. */
const char *witness_step(struct witness *w, uint64_t rip, const uint64_t reg[WV_NREG]);
/* It has left the entry. */
const char *witness_end(struct witness *w, const uint64_t reg[WV_NREG]);

#endif
