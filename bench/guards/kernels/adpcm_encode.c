/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes sound as IMA ADPCM, four bits a sample. */
#include "adpcm.h"

#ifdef KERNEL_SETUP
const uint64_t expected = 0xeaa0f0b2e74a81f5u;

void setup(struct ward_state *st)
{
	adpcm_sound(st, 18);
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SAMPLES) / 2;
	struct coder coder = {0, 0};
	uint64_t sum = 0;

	WARD_BOUND(4096)
	for (uint32_t i = 0; i < n; i++) {
		uint32_t low = adpcm_code(&coder, st->sound[2 * i]), high;

		adpcm_step(&coder, low);
		high = adpcm_code(&coder, st->sound[2 * i + 1]);
		adpcm_step(&coder, high);
		st->code[i] = (uint8_t)(high << 4 | low);
		sum = sum * 31 + st->code[i];
	}
	st->result = sum;
}
#endif
