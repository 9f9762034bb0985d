/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings made from the lines of opcode.def. They share only that file with the decoder; the code that reads it
 * here is separate.
 */
#ifndef WARD_TESTS_ENCODINGS_H
#define WARD_TESTS_ENCODINGS_H

#include "verifier/decode/insn.h"

enum { ENCODING_ROOM = 24 };

/* A line, its columns as words. */
struct opcode_line {
	const char *map;
	uint8_t opcode;
	unsigned count;
	const char *prefix, *modrm, *operands;
	unsigned op;
	const char *name;
};

extern const struct opcode_line opcode_lines[];
extern const unsigned n_opcode_lines;

/* 0 to 4 for ONE, 0F, 0F38, V0F38, V0F3A; 0 to 3 for NP, 66, F3, F2; another word: 5 and 4. */
unsigned opcode_map(const char *word);
unsigned opcode_prefix(const char *word);

/* Does the ModRM byte lead to the line whose word this is? */
bool opcode_modrm_fits(const char *word, unsigned modrm);

uint64_t encodings_random(uint64_t *state);

/*
 * Call f with encodings of each line: each opcode, all ways to say a memory operand, all bits of REX, with 66, lock and
 * a segment prefix and without, most of which no decoder should accept. The bytes behind ModRM are random. `memory`:
 * ModRM names memory.
 */
void encodings_each(uint64_t *random,
	void (*f)(void *user, const struct opcode_line *l, const uint8_t bytes[ENCODING_ROOM], bool memory),
	void *user);

#endif
