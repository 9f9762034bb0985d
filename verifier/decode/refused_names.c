/* SPDX-License-Identifier: Apache-2.0 */
/* Names for encodings that the decoder has no line for. The decoder rejects them whatever this table says. */
#include "opcode.h"

enum modrm_kind { ANY, KIND_REG = 1 << 8, KIND_MEM = 2 << 8, KIND_BYTE = 3 << 8 };

static const struct refused {
	uint8_t map, opcode, count;
	uint8_t prefixes; /* a set of enum opcode_prefix */
	uint16_t modrm;   /* enum modrm_kind and a value */
	uint8_t status;
	const char *what;
} refused[] = {
#define REG(n) KIND_REG | (n)
#define MEM(n) KIND_MEM | (n)
#define BYTE(n) KIND_BYTE | (n)
#define PREFIXES_ANY 15
#define PREFIXES_NP 1 << PP_NP
#define PREFIXES_66 1 << PP_66
#define PREFIXES_F3 1 << PP_F3
#define PREFIXES_F2 1 << PP_F2
#define STATUS_OPCODE WV_BAD_OPCODE
#define STATUS_OPERAND WV_BAD_OPERAND
#define STATUS_INDIRECT WV_INDIRECT
#define REFUSED(map, opcode, count, prefix, modrm, rule, what) \
	{MAP_##map, opcode, count, PREFIXES_##prefix, modrm, STATUS_##rule, what},
#include "ward/refused.def"
#undef REFUSED
};

static bool modrm_fits(unsigned want, unsigned modrm)
{
	unsigned value = want & 0xff, reg = modrm >> 3 & 7;

	switch (want & ~0xffu) {
	case ANY: return true;
	case KIND_REG: return reg == value;
	case KIND_MEM: return reg == value && modrm < 0xc0;
	default: return modrm == value;
	}
}

enum wv_decode_status wv_refused(
	enum opcode_map map, enum opcode_prefix prefix, unsigned opcode, unsigned modrm, const char **what)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const struct refused *r = &refused[i];

		if (r->map == map && opcode - r->opcode < r->count && r->prefixes >> prefix & 1 &&
			modrm_fits(r->modrm, modrm)) {
			*what = r->what;
			return r->status;
		}
	}
	*what = map < MAP_V0F38 ? "an unknown instruction" : "an instruction with a VEX prefix";
	return WV_BAD_OPCODE;
}
