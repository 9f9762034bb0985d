/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A codec of the LZ77 family. Text is packed by a table of the last places at which four bytes began, and unpacked
 * again. All buffers are in the state. Lengths above 14 take more bytes, of 255 each but for the last.
 */
#include "kernel.h"

enum { SIZE = 32768, PACKED = 40960, HASH_BITS = 12, LEAST = 4, FAR = 65535, END = 12 };

struct ward_state {
	uint64_t result;
	uint8_t input[SIZE];
	uint8_t packed[PACKED];
	uint8_t output[SIZE];
	uint32_t last[1 << HASH_BITS]; /* place + 1 of four bytes of that hash */
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x3ec979ef97536989u;

/* Words of a small vocabulary. */
void setup(struct ward_state *st)
{
	static char words[512][12];
	uint64_t s = 34;
	uint32_t n = 0;

	for (uint32_t w = 0; w < 512; w++)
		for (uint32_t i = 0, length = 2 + (uint32_t)(kernel_random(&s) % 9); i < length; i++)
			words[w][i] = (char)('a' + kernel_random(&s) % 26);
	while (n < SIZE) {
		const char *word = words[kernel_random(&s) % (1 + kernel_random(&s) % 512)];

		for (; *word && n < SIZE; word++)
			st->input[n++] = (uint8_t)*word;
		if (n < SIZE)
			st->input[n++] = kernel_random(&s) % 12 ? ' ' : '\n';
	}
}
#else
static uint32_t four(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Literals of [from, to) and a match; returns where the packed text ends, or 0 if there is no room. */
static uint32_t emit(struct ward_state *st, uint32_t out, uint32_t from, uint32_t to, uint32_t back, uint32_t match)
{
	uint32_t literals = to - from, rest;

	if (literals > SIZE || out + literals + (literals + match) / 255 + 5 > PACKED)
		return 0;
	st->packed[out++] = (uint8_t)((literals < 15 ? literals : 15) << 4 | (match < 15 ? match : 15));
	if (literals >= 15) {
		for (rest = literals - 15; rest >= 255; rest -= 255)
			st->packed[out++] = 255;
		st->packed[out++] = (uint8_t)rest;
	}
	for (uint32_t i = 0; i < literals; i++)
		st->packed[out + i] = st->input[from + i];
	out += literals;
	st->packed[out++] = (uint8_t)back;
	st->packed[out++] = (uint8_t)(back >> 8);
	if (match >= 15) {
		for (rest = match - 15; rest >= 255; rest -= 255)
			st->packed[out++] = 255;
		st->packed[out++] = (uint8_t)rest;
	}
	return out;
}

static uint32_t pack(struct ward_state *st, uint32_t n)
{
	uint32_t at = 0, done = 0, out = 0;

	for (uint32_t i = 0; i < 1 << HASH_BITS; i++)
		st->last[i] = 0;
	WARD_BOUND(32768)
	while (at + END < n) {
		uint32_t next = four(&st->input[at]), hash = next * 2654435761u >> (32 - HASH_BITS),
			 place = st->last[hash], length = 0;

		st->last[hash] = at + 1;
		if (place == 0 || place > at || at + 1 - place > FAR || four(&st->input[place - 1]) != next) {
			at++;
			continue;
		}
		place--;
		while (at + length < n - LEAST && st->input[place + length] == st->input[at + length])
			length++;
		out = emit(st, out, done, at, at - place, length - LEAST);
		if (out == 0)
			return 0;
		at += length;
		done = at;
	}
	return emit(st, out, done, n, 0, 0);
}

/* A length that goes on behind its four bits. */
static uint32_t read_length(const struct ward_state *st, uint32_t n, uint32_t *in, uint32_t length)
{
	uint32_t more = 255;

	if (length < 15)
		return length;
	while (more == 255 && *in < n && length < SIZE) {
		more = st->packed[(*in)++];
		length += more;
	}
	return length;
}

static uint32_t unpack(struct ward_state *st, uint32_t n)
{
	uint32_t in = 0, out = 0;

	WARD_BOUND(40960)
	while (in < n) {
		uint32_t token = st->packed[in++], literals = read_length(st, n, &in, token >> 4), back, match;

		if (literals > n - in || literals > SIZE - out)
			return 0;
		for (uint32_t i = 0; i < literals; i++)
			st->output[out + i] = st->packed[in + i];
		in += literals;
		out += literals;
		if (n - in < 2)
			return 0;
		back = st->packed[in] | (uint32_t)st->packed[in + 1] << 8;
		in += 2;
		if (back == 0)
			return out;
		match = read_length(st, n, &in, token & 15) + LEAST;
		if (back > out || match > SIZE - out)
			return 0;
		for (uint32_t i = 0; i < match; i++)
			st->output[out + i] = st->output[out + i - back];
		out += match;
	}
	return out;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE), packed = pack(st, n), out;
	uint64_t sum = packed;

	if (packed > PACKED)
		packed = PACKED;
	out = unpack(st, packed);
	for (uint32_t i = 0; i + 8 <= n; i += 8)
		sum = sum * 31 + st->output[i] + (st->output[i] == st->input[i]);
	st->result = sum * 31 + out;
}
#endif
