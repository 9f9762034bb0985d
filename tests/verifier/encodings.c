/* SPDX-License-Identifier: Apache-2.0 */
#include "encodings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct opcode_line opcode_lines[] = {
#define ENC(map, opcode, count, prefix, modrm, op, operands, size, imm) \
	{#map, opcode, count, #prefix, #modrm, #operands, WV_##op, #op},
#include "ward/opcode.def"
#undef ENC
};
const unsigned n_opcode_lines = sizeof opcode_lines / sizeof *opcode_lines;

static unsigned place_in(const char *word, const char *const *words, unsigned n)
{
	unsigned i = 0;

	while (i < n && strcmp(word, words[i]) != 0)
		i++;
	return i;
}

unsigned opcode_map(const char *word)
{
	static const char *const words[] = {"ONE", "0F", "0F38", "V0F38", "V0F3A"};

	return place_in(word, words, 5);
}

unsigned opcode_prefix(const char *word)
{
	static const char *const words[] = {"NP", "66", "F3", "F2"};

	return place_in(word, words, 4);
}

bool opcode_modrm_fits(const char *word, unsigned modrm)
{
	unsigned reg = modrm >> 3 & 7;

	if (isxdigit((unsigned char)word[0]) && isxdigit((unsigned char)word[1]))
		return modrm == strtoul(word, NULL, 16);
	if (isdigit((unsigned char)word[0]) && reg != (unsigned)(word[0] - '0'))
		return false;
	return word[0] == '_' || !word[1] || (word[1] == 'R') == (modrm >= 0xc0);
}

uint64_t encodings_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* The first bytes of an instruction, the rest being random. */
struct spelling {
	bool opsize, lock, segment;
	uint8_t rex; /* 0: none */
	uint8_t opcode, modrm;
};

static unsigned put_vex(const struct opcode_line *l, const struct spelling *s, uint64_t random, uint8_t *bytes)
{
	bool no_vvvv = !strchr(l->operands, 'V') && random & 3;

	bytes[0] = 0xc4;
	bytes[1] = (uint8_t)(((uint8_t)~s->rex << 5 & 0xe0) | (strcmp(l->map, "V0F38") == 0 ? 2 : 3));
	bytes[2] = (uint8_t)((s->rex << 4 & 0x80) | (no_vvvv ? 0x78 : random >> 8 & 0x78) | opcode_prefix(l->prefix));
	return 3;
}

static unsigned put_legacy(const struct opcode_line *l, const struct spelling *s, uint8_t *bytes)
{
	unsigned n = 0;

	if (s->segment)
		bytes[n++] = strcmp(l->prefix, "PAD") == 0 ? 0x2e : 0x3e;
	if (s->opsize || strcmp(l->prefix, "66") == 0)
		bytes[n++] = 0x66;
	if (l->prefix[0] == 'F')
		bytes[n++] = l->prefix[1] == '3' ? 0xf3 : 0xf2;
	if (s->lock)
		bytes[n++] = 0xf0;
	if (s->rex)
		bytes[n++] = s->rex;
	if (strcmp(l->map, "ONE") != 0)
		bytes[n++] = 0x0f;
	if (strcmp(l->map, "0F38") == 0)
		bytes[n++] = 0x38;
	return n;
}

static void put(const struct opcode_line *l, const struct spelling *s, uint64_t *random, uint8_t bytes[ENCODING_ROOM])
{
	unsigned n;

	for (unsigned k = 0; k < ENCODING_ROOM; k += 8)
		memcpy(bytes + k, &(uint64_t){encodings_random(random)}, 8);
	n = l->map[0] == 'V' ? put_vex(l, s, encodings_random(random), bytes) : put_legacy(l, s, bytes);
	bytes[n++] = s->opcode;
	if (l->modrm[0] != '_')
		bytes[n] = s->modrm;
}

typedef void visitor(void *user, const struct opcode_line *l, const uint8_t bytes[ENCODING_ROOM], bool memory);

/*
 * One opcode with all ModRM bytes that lead to its line; where the reg field is a register's number, not all of them.
 */
static void each_modrm(const struct opcode_line *l, struct spelling *s, uint64_t *random, visitor *f, void *user)
{
	for (unsigned modrm = 0; modrm < (l->modrm[0] == '_' ? 1 : 256); modrm++) {
		uint8_t bytes[ENCODING_ROOM];

		if (!opcode_modrm_fits(l->modrm, modrm) || (l->modrm[0] == 'R' && encodings_random(random) & 7))
			continue;
		s->modrm = (uint8_t)modrm;
		put(l, s, random, bytes);
		f(user, l, bytes, l->modrm[0] != '_' && modrm < 0xc0);
	}
}

void encodings_each(uint64_t *random, visitor *f, void *user)
{
	for (const struct opcode_line *l = opcode_lines; l < opcode_lines + n_opcode_lines; l++) {
		for (unsigned bits = 0; bits < 8 * 17; bits++) {
			uint8_t rex = (uint8_t)(bits / 8 ? 0x40 + bits / 8 - 1 : 0);
			struct spelling s = {.opsize = bits & 1, .lock = bits & 2, .segment = bits & 4, .rex = rex};

			for (unsigned i = 0; i < l->count; i++) {
				s.opcode = (uint8_t)(l->opcode + i);
				each_modrm(l, &s, random, f, user);
			}
		}
	}
}
