/* SPDX-License-Identifier: Apache-2.0 */
/* Probes so short that a stub contains their instructions instead of a call. inline_probe.c describes which. */
#ifndef WARD_LOADER_INLINE_PROBE_H
#define WARD_LOADER_INLINE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes: a longer one would make the stubs of many sites larger than it makes them faster */
enum { WL_INPLACE_MAX = 40 };

struct wl_inplace {
	uint8_t code[WL_INPLACE_MAX];
	uint8_t len;
	/* the bytes do all that the probe does, and continue behind their end; else the probe must be called */
	bool fits;
	bool event, state; /* rdi, rsi are used in them */
};

/* Look at a probe's code, of which so many bytes are there, of an image that the verifier has accepted. */
struct wl_inplace wl_inplace_look(const uint8_t *code, size_t available);

#endif
