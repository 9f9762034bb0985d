/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels share. A kernel is one file that is compiled twice. With KERNEL_SETUP it is setup(), ordinary host
 * code that fills the state with input, and `expected`, which st->result must equal after the first run. Without, it
 * is the probe function run(), which is measured. All data is in the state, whose first member is the result.
 *
 * Where branches depend on the input, there is more input than a processor learns when it sees the same repeatedly.
 * Otherwise the table would measure how many branches of each version its predictor can hold. (tree and chains have
 * little input on purpose; they measure the instructions.) The same text is compiled by clang-19, by ward cc and for
 * wasm, where a pointer has 32 bits and ward/probe.h does not apply.
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
