/* SPDX-License-Identifier: Apache-2.0 */
/* The signatures of imports: spec/ward/import.def as a table. */
#ifndef WARD_VERIFIER_IMPORT_H
#define WARD_VERIFIER_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

enum { WV_MAX_ARGUMENTS = 6 };

enum wv_argument_kind { WV_ARG_NONE, WV_ARG_SCALAR, WV_ARG_ID, WV_ARG_IN, WV_ARG_OUT };

struct wv_argument {
	uint8_t kind;    /* enum wv_argument_kind */
	uint32_t detail; /* ID: the limit, exclusive; IN, OUT: which argument is the length */
};

struct wv_signature {
	const char *name;
	uint8_t profiles; /* mask: 1 << enum ward_profile */
	struct wv_argument argument[WV_MAX_ARGUMENTS];
	/*
	 * The result: a number in [least, greatest]; if `upto` isn't negative, the result is also at most that
	 * argument.
	 */
	uint64_t least, greatest;
	int upto;
	uint32_t insns, per_byte, stack;
	uint16_t clobbers; /* mask of registers */
};

/* The signature of an enum ward_import, or NULL for any other number. */
const struct wv_signature *wv_signature(unsigned import);

/* The registers of the arguments, in their order. */
extern const uint8_t wv_argument_register[WV_MAX_ARGUMENTS];

#endif
