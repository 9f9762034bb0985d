#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Loops of parsers, decoders and hashes as programs have them, at the default limit: which need no counter.
. "$(dirname "$0")/lib.sh"

# piece NAME GUARDED MOST: the body that standard input has, of a function of in[n] and out: so many loops are guarded,
# and so many instructions are the most that a run may take.
piece() {
	{
		cat <<'C'
#include <ward/probe.h>
#include <string.h>
struct ward_state {
	ward_count calls;
	uint64_t a, b, c;
	unsigned char in[4096];
	unsigned char out[8192];
	uint32_t w[1024];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0], i = 0, o = 0;
	const unsigned char *in = st->in;

	if (n > sizeof st->in)
		n = sizeof st->in;
C
		cat
		echo '	st->a += i + o;'
		echo '}'
	} >"$tmp/$1.c"
	run cc --report "$tmp/$1.c" -o "$tmp/$1.ward"
	check "$1: at the default limit" [ "$status" = 0 ]
	check "$1: loops with a counter" [ "$(grep -cE ' loop +guarded' "$tmp/out")" = "$2" ]
	"$(dirname "$ward")/ward-verify" --json "$tmp/$1.ward" >"$tmp/out"
	check "$1: how long" [ "$(jq '.entries[0].max_insns' "$tmp/out")" -le "$3" ]
}

piece hex 0 120000 <<'C'
	for (; i < n; i++) {
		st->out[2 * i] = "0123456789abcdef"[in[i] >> 4];
		st->out[2 * i + 1] = "0123456789abcdef"[in[i] & 15];
	}
C

piece words_of_four 0 60000 <<'C'
	const unsigned char *p = in, *end = in + n - n % 4;
	for (; p < end; p += 4) {
		uint32_t v;
		memcpy(&v, p, 4);
		st->b = st->b * 31 + v;
	}
C

piece to_the_end 0 60000 <<'C'
	for (const unsigned char *p = in, *end = in + n; p < end; p++)
		st->b = (st->b ^ *p) * 0x100000001b3;
C

piece four_left 0 60000 <<'C'
	const unsigned char *p = in, *end = in + n;
	for (; p + 4 <= end; p += 4) {
		uint32_t v;
		memcpy(&v, p, 4);
		st->b = st->b * 31 + v;
	}
C

piece by_words 0 40000 <<'C'
	for (const uint32_t *w = st->w, *end = st->w + n / 4; w < end; w++)
		st->b = st->b * 31 + *w;
C

piece crc32 0 400000 <<'C'
	uint32_t crc = -1u;
	for (; i < n; i++) {
		crc ^= in[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	st->b = crc;
C

summary
