/* SPDX-License-Identifier: Apache-2.0 */
/* What the two kernels of ADPCM share: the tables and the step of the IMA's reference algorithm. */
#ifndef ADPCM_H
#define ADPCM_H

#include "kernel.h"

enum { SAMPLES = 8192, STEPS = 89 };

struct ward_state {
	uint64_t result;
	int16_t sound[SAMPLES];
	uint8_t code[SAMPLES / 2];
};

static const int16_t step_sizes[STEPS] = {7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45,
	50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
	494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024,
	3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289,
	16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
static const int8_t step_changes[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

struct coder {
	int32_t predicted, index;
};

/* What a code of 4 bits means. */
static inline int32_t adpcm_step(struct coder *c, uint32_t code)
{
	int32_t step = step_sizes[c->index], change = step >> 3;

	if (code & 4)
		change += step;
	if (code & 2)
		change += step >> 1;
	if (code & 1)
		change += step >> 2;
	c->predicted += code & 8 ? -change : change;
	if (c->predicted > 32767)
		c->predicted = 32767;
	else if (c->predicted < -32768)
		c->predicted = -32768;
	c->index += step_changes[code & 7];
	if (c->index < 0)
		c->index = 0;
	else if (c->index > STEPS - 1)
		c->index = STEPS - 1;
	return c->predicted;
}

/* The code that comes nearest to a sample. */
static inline uint32_t adpcm_code(const struct coder *c, int32_t sample)
{
	int32_t step = step_sizes[c->index], difference = sample - c->predicted;
	uint32_t code = 0;

	if (difference < 0) {
		code = 8;
		difference = -difference;
	}
	if (difference >= step) {
		code |= 4;
		difference -= step;
	}
	if (difference >= step >> 1) {
		code |= 2;
		difference -= step >> 1;
	}
	return difference >= step >> 2 ? code | 1 : code;
}

#ifdef KERNEL_SETUP
/* A triangle with noise on it, whose pitch wanders. */
static inline void adpcm_sound(struct ward_state *st, uint64_t s)
{
	int32_t level = 0, slope = 300;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		int32_t noise = (int32_t)(kernel_random(&s) % 512);

		level += slope + noise - 256;
		if (level > 30000 || level < -30000)
			slope = level > 0 ? -100 - noise : 100 + noise;
		if (level > 32767 || level < -32768)
			level = level > 0 ? 32767 : -32768;
		st->sound[i] = (int16_t)level;
	}
}
#endif

#endif
