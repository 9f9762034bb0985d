/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share: modules to start from, and a call of the verifier that looks at everything that it
 * returns.
 */
#ifndef WARD_TESTS_FUZZ_H
#define WARD_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "build_module.h"

/* Number of good functions of bases.S, and the bytes of the i-th. */
unsigned fuzz_n_bases(void);
const uint8_t *fuzz_base(unsigned i, size_t *size);

/*
 * A module around a text, with one entry at its start, 64 bytes of state, a table of constants and some data. The
 * proof, without magic, version and seal, may be NULL; version 0 is 1.
 */
struct bm_file fuzz_module(const uint8_t *text, size_t size, uint8_t version, const uint8_t *proof, size_t proof_size);

/* The proof that is inferred for a module, sealed, to be freed. NULL only if its functions lie in one another. */
uint8_t *fuzz_infer(const struct bm_file *module, size_t *size);

/*
 * Verify; read each string and number of the verdict; abort if it contradicts itself. Returns whether the module was
 * accepted. The bytes are given to the verifier in memory of just their size. `wellformed`: abort if it calls the proof
 * malformed (V-04, V-05).
 */
bool fuzz_verify(const uint8_t *file, size_t size, bool wellformed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
