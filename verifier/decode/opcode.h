/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the decoder and the names of refused opcodes: maps, prefixes, and the lookup in refused.def.
 */
#ifndef WARD_VERIFIER_OPCODE_H
#define WARD_VERIFIER_OPCODE_H

#include "insn.h"

enum opcode_map { MAP_ONE, MAP_0F, MAP_0F38, MAP_V0F38, MAP_V0F3A, MAPS };

/* The prefix that is part of an opcode: none of these, 66, F3 or F2; as VEX numbers them. */
enum opcode_prefix { PP_NP, PP_66, PP_F3, PP_F2, PPS };

/*
 * What an opcode without a line in opcode.def is: *what gets the words for the rejection; the result says which rule
 * it breaks.
 */
enum wv_decode_status wv_refused(
	enum opcode_map map, enum opcode_prefix prefix, unsigned opcode, unsigned modrm, const char **what);

#endif
