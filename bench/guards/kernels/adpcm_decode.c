/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes IMA ADPCM to sound. */
#include "adpcm.h"

#ifdef KERNEL_SETUP
const uint64_t expected = 0x346f0a3eac94d45au;

void setup(struct ward_state *st)
{
	struct coder coder = {0, 0};

	adpcm_sound(st, 18);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint32_t code = adpcm_code(&coder, st->sound[i]);

		adpcm_step(&coder, code);
		st->code[i / 2] |= (uint8_t)(i % 2 ? code << 4 : code);
	}
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SAMPLES) / 2;
	struct coder coder = {0, 0};
	uint64_t sum = 0;

	WARD_BOUND(4096)
	for (uint32_t i = 0; i < n; i++) {
		st->sound[2 * i] = (int16_t)adpcm_step(&coder, st->code[i] & 15);
		st->sound[2 * i + 1] = (int16_t)adpcm_step(&coder, st->code[i] >> 4);
		sum = sum * 31 + (uint16_t)st->sound[2 * i + 1];
	}
	st->result = sum;
}
#endif
