/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels share. A kernel is one file, compiled twice: with KERNEL_SETUP it is setup(), which fills the state
 * with input and is host code like any other, and expected, which st->result must be after the first run; without, it
 * is the probe function run(), which is what is measured. All data is in the state, whose first member is the result.
 * Where branches depend on the input, there is more of it than a processor learns by heart when it is given the same
 * again and again: else the table would say how many branches of each version its predictor has room for. (tree and
 * chains are so on purpose: what is left to see there is the instructions.) The very same text goes through clang-19,
 * through ward cc and through wasm, where a pointer has 32 bits and ward/probe.h does not apply.
 */
#ifndef KERNEL_H
#define KERNEL_H

#ifdef __wasm__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ward_event {
	uint64_t arg[14];
};
#define WARD_ENTRY(...) __attribute__((visibility("default")))
#else
#include <ward/probe.h>
#endif

#ifndef KERNEL_WARD /* a bound means something to ward cc only: for clang by itself it would ask for unrolling */
#undef WARD_BOUND
#define WARD_BOUND(n)
#endif

#define KERNEL WARD_ENTRY("bench!run")

static inline uint64_t kernel_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s * 0x2545f4914f6cdd1du >> 16;
}

/* The length that the event asks for, at most what there is. */
static inline uint32_t kernel_length(const struct ward_event *ev, uint32_t most)
{
	return ev->arg[0] < most ? (uint32_t)ev->arg[0] : most;
}

#endif
