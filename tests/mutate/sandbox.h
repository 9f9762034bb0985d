/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs an accepted module and watches it. It takes none of the verifier's claims for granted. Every page that the
 * probe was not granted is out of reach or holds a canary; every register is set before and compared after; and the
 * processor stops after each instruction, so that the instructions are counted and each address that control reaches
 * is seen.
 */
#ifndef WARD_TESTS_SANDBOX_H
#define WARD_TESTS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/verify.h"

enum sandbox_result {
	SANDBOX_HELD,     /* all that the verdict says is so */
	SANDBOX_BROKEN,   /* it is not; the reason was printed */
	SANDBOX_CANT_RUN, /* no memory for it */
};

/*
 * Run every entry of the accepted module `file`, `rounds` times with different events, states and host values, in a
 * child process. Those whose bound is above `most_insns` aren't run.
 */
enum sandbox_result sandbox_run(const uint8_t *file, size_t size, const struct ward_verdict *verdict, unsigned rounds,
	uint64_t most_insns, uint64_t seed);

/* The same; worst[i] receives the most instructions that a run of entry i took, 0 if it was not run. */
enum sandbox_result sandbox_measure(const uint8_t *file, size_t size, const struct ward_verdict *verdict,
	unsigned rounds, uint64_t most_insns, uint64_t seed, uint64_t *worst);

/* What a run meets instead of numbers that were drawn: every field of the event is `field`. */
struct sandbox_input {
	uint64_t field;
	const uint8_t *state; /* all of it */
};

/* Run every entry once with that input; insns[i] receives the instructions that entry i took. */
enum sandbox_result sandbox_count(const uint8_t *file, size_t size, const struct ward_verdict *verdict,
	const struct sandbox_input *input, uint64_t *insns);

#endif
