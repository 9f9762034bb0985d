#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Loops of parsers, decoders and hashes as programs have them, at the default limit: which need no counter, and that
# rounds of loops which share an index add up. And that guards by need stop no loop that guards everywhere let go on.
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

# Two loops that go on where the other stopped, in one that nothing says moves the index at all.
piece words 1 120000 <<'C'
	while (i < n) {
		while (i < n && in[i] == ' ')
			i++;
		while (i < n && in[i] != ' ')
			st->b++, i++;
		st->c++;
	}
C

# The outer loop moves the index itself.
piece quoted 0 70000 <<'C'
	for (; i < n; i++) {
		if (in[i] != '"')
			continue;
		for (i++; i < n && in[i] != '"'; i++)
			if (in[i] == '\\')
				i++;
		st->b++;
	}
C

# Lines of fields.
piece csv 0 120000 <<'C'
	while (i < n) {
		while (i < n && in[i] != '\n') {
			while (i < n && in[i] != ',' && in[i] != '\n')
				i++;
			st->b++;
			if (i < n && in[i] == ',')
				i++;
			else
				break;
		}
		st->c++;
		i++;
	}
C

piece varint 0 350000 <<'C'
	while (i < n) {
		uint64_t v = 0;
		for (unsigned shift = 0; i < n && shift < 64; shift += 7) {
			unsigned char c = in[i++];
			v |= (uint64_t)(c & 127) << shift;
			if (!(c & 128))
				break;
		}
		st->b += v;
		i++;
	}
C

piece tlv 0 145000 <<'C'
	while (i + 2 <= n) {
		unsigned len = in[i + 1];
		if (len > n - i - 2)
			break;
		st->b += in[i];
		i += 2 + len;
	}
C

piece utf8 0 90000 <<'C'
	while (i < n) {
		unsigned len = in[i] < 0x80 ? 1 : in[i] < 0xe0 ? 2 : in[i] < 0xf0 ? 3 : 4;
		st->b++;
		i += len;
	}
C

piece dns 0 60000 <<'C'
	while (i < n) {
		unsigned len = in[i];
		if (len == 0 || len > 63)
			break;
		st->b += len;
		i += len + 1;
	}
C

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

piece query 0 120000 <<'C'
	while (i < n) {
		while (i < n && in[i] != '&') {
			if (in[i] == '%' && i + 2 < n)
				i += 2;
			st->out[o++ & 8191] = in[i++];
		}
		st->b++;
		i++;
	}
C

piece ini 0 150000 <<'C'
	while (i < n) {
		if (in[i] == ';') {
			while (i < n && in[i] != '\n')
				i++;
		} else {
			while (i < n && in[i] != '=' && in[i] != '\n')
				i++;
			while (i < n && in[i] != '\n')
				st->b++, i++;
		}
		i++;
	}
C

# An inner loop over a copy of the index begins again: its rounds are multiplied, and a run may take too long.
cat >"$tmp/copy.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	uint64_t a;
	unsigned char in[4096];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = ev->arg[0] & 4095;

	for (unsigned long i = 0; i < n; i++)
		for (unsigned long k = i; k < n && st->in[k] != 7; k++)
			st->a++;
}
C
refused 1 'rejected' cc --guards never "$tmp/copy.c" -o "$tmp/copy.ward"
check "a copy of the index: refused, with the rounds of both" grep -qE 'may go back 4094 times, and one within another 409[0-9] x 409[0-9] = [0-9]{8} times.*V-63' "$tmp/err"

# With a counter for both loops it is accepted, and the author is told. A run stops where they have gone round as often
# as that together, and says where; with fewer rounds it doesn't, and is exact.
run cc --report "$tmp/copy.c" -o "$tmp/copy.ward"
check "a nest: status" [ "$status" = 0 ]
check "a nest: the author is warned" grep -qE '^.*copy.c:11:2: warning: this loop and those in it may go round 65521 times together' "$tmp/err"
check "a nest: the report" [ "$(grep -cE ' loop +guarded: at most 65521 rounds of its nest: ' "$tmp/out")" = 2 ]
copy() { # calls, of which the last ones are stopped: how many
	run trace -o "$tmp/results" "$tmp/copy.c" -- "$targets/target" "$1" 0
	check "a nest, $1 runs: status" [ "$status" = 0 ]
	check "a nest, $1 runs: stops" [ "$(lines "copy.c:1[12]: $2 runs* stopped here: a loop that goes round too often" "$tmp/results")" = $(($2 > 0)) ]
	counted=$(sed -n 's/^a *//p' "$tmp/results")
}
copy 361 0
whole=$((360 * 361 * 362 / 6))
check "a nest: all rounds" [ "$counted" = $whole ]
copy 364 3
check "a nest: the rounds until a run is stopped" [ "$counted" -gt $((whole + 3 * 64000)) -a "$counted" -lt $((whole + 3 * 65521)) ]

# ---- 64 KB of a hash ----

# The default limit suits a probe that copies 64 KB and hashes them byte by byte: no loop has a counter, and the worst
# case is known. hash NAME: the body that standard input has, over in[n], of the result h.
hash() {
	{
		cat <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
#include <string.h>
struct ward_state {
	uint64_t hash;
	WARD_PRIVATE(unsigned char in[65536];);
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[2] < sizeof st->in ? ev->arg[2] : sizeof st->in;
	uint64_t h = 0;

	n = ward_read(st->in, n, ev->arg[1]);
C
		cat
		echo '	st->hash = h;'
		echo '}'
	} >"$tmp/$1.c"
	run cc --report "$tmp/$1.c" -o "$tmp/$1.ward"
	check "$1 of 64 KB: at the default limit" [ "$status" = 0 ]
	check "$1 of 64 KB: no loop is stopped" [ "$(lines ' loop .*guarded' "$tmp/out")" = 0 ]
}

hash fnv <<'C'
	h = 0xcbf29ce484222325;
	for (size_t i = 0; i < n; i++)
		h = (h ^ st->in[i]) * 0x100000001b3;
C
hash one_at_a_time <<'C'
	uint32_t s = 0;
	for (size_t i = 0; i < n; i++) {
		s += st->in[i];
		s += s << 10;
		s ^= s >> 6;
	}
	h = s;
C
hash adler32 <<'C'
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < n; i++) {
		a = (a + st->in[i]) % 65521;
		b = (b + a) % 65521;
	}
	h = b << 16 | a;
C
hash crc32_by_bits <<'C'
	uint32_t c = -1u;
	for (size_t i = 0; i < n; i++) {
		c ^= st->in[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	h = ~c;
C
hash crc32_by_table <<'C'
	static const uint32_t table[16] = {0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158,
		0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	uint32_t c = -1u;
	for (size_t i = 0; i < n; i++) {
		c = table[(c ^ st->in[i]) & 15] ^ c >> 4;
		c = table[(c ^ st->in[i] >> 4) & 15] ^ c >> 4;
	}
	h = ~c;
C
hash siphash <<'C'
#define ROTATE(x, b) ((x) << (b) | (x) >> (64 - (b)))
#define ROUND \
	(v0 += v1, v1 = ROTATE(v1, 13), v1 ^= v0, v0 = ROTATE(v0, 32), v2 += v3, v3 = ROTATE(v3, 16), v3 ^= v2, v0 += v3, \
		v3 = ROTATE(v3, 21), v3 ^= v0, v2 += v1, v1 = ROTATE(v1, 17), v1 ^= v2, v2 = ROTATE(v2, 32))
	uint64_t v0 = 1, v1 = 2, v2 = 3, v3 = 4, m;
	for (const unsigned char *p = st->in, *end = p + n - n % 8; p != end; p += 8) {
		memcpy(&m, p, 8);
		v3 ^= m;
		ROUND, ROUND;
		v0 ^= m;
	}
	h = (ROUND, ROUND, ROUND, ROUND, v0 ^ v1 ^ v2 ^ v3);
C

# ---- auto against always ----

# Guards by need never stop a loop that guards everywhere let go on: `auto` chooses which loops have a counter, but a
# counter that stops a run is only for those that nothing else ends. compare NAME SOURCE MOST: and of all loops there
# are at most so many that a counter stops.
stopped_loops() { sed -nE 's/^(.*:[0-9]+:[0-9]+) +loop +guarded: at most [0-9]+ rounds?: .*/\1/p' "$1" | sort; }
compare() {
	run cc --guards always --report "$2" -o "$tmp/always.ward"
	check "$1: with everything guarded" [ "$status" = 0 ]
	stopped_loops "$tmp/out" >"$tmp/always"
	run cc --report "$2" -o "$tmp/auto.ward"
	check "$1: with guards by need" [ "$status" = 0 ]
	stopped_loops "$tmp/out" >"$tmp/auto"
	check "$1: no loop is stopped that always lets go on" [ -z "$(comm -23 "$tmp/auto" "$tmp/always")" ]
	check "$1: loops that are stopped" [ "$(wc -l <"$tmp/auto")" -le "$3" ]
}

# shape NAME MOST: the loop that standard input has, over 64 KB.
shape() {
	{
		cat <<'C'
#include <ward/probe.h>
#include <string.h>
struct ward_state {
	uint64_t out;
	unsigned char in[65536];
	uint32_t w[16384];
};
#define MIX a ^= m, b += a * 3, a = a << 5 | a >> 27
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[1] < sizeof st->in ? ev->arg[1] : sizeof st->in;
	uint32_t a = 1, b = 2, m;
	__attribute__((unused)) const unsigned char *p = st->in, *end = p + n;
	__attribute__((unused)) const uint32_t *w = st->w, *last = w + n / 4;
C
		cat
		echo '	st->out = (uint64_t)a << 32 | b;'
		echo '}'
	} >"$tmp/$1.c"
	compare "$1" "$tmp/$1.c" "$2"
}

shape left_of_four 0 <<'C'
	if (n >= 4) do { memcpy(&m, p, 4); MIX; p += 4; } while (p <= end - 4);
C
shape by_eight 0 <<'C'
	end = p + n - n % 8;
	for (; p < end; p += 8) { memcpy(&m, p, 4); MIX; }
C
shape masked_end 0 <<'C'
	end = p + (n & ~3ul);
	for (; p != end; p += 4) { memcpy(&m, p, 4); MIX; }
C
shape end_less_rest 0 <<'C'
	end = p + n - n % 4;
	for (; p < end; p += 4) { memcpy(&m, p, 4); MIX; }
C
shape until_end_less_rest 0 <<'C'
	end = p + n - n % 4;
	for (; p != end; p += 4) { memcpy(&m, p, 4); MIX; }
C
shape index_by_four 0 <<'C'
	for (size_t i = 0; i + 4 <= n; i += 4) { memcpy(&m, p + i, 4); MIX; }
C
shape index_less_rest 0 <<'C'
	for (size_t i = 0; i < n - n % 4; i += 4) { memcpy(&m, p + i, 4); MIX; }
C
shape below_end 0 <<'C'
	for (; p < end; p++) { m = *p; MIX; }
C
shape until_end 0 <<'C'
	for (; p != end; p++) { m = *p; MIX; }
C
shape four_fit 0 <<'C'
	for (; p + 4 <= end; p += 4) { memcpy(&m, p, 4); MIX; }
C
shape words_by_index 0 <<'C'
	for (size_t i = 0; i < n / 4; i++) { m = w[i]; MIX; }
C
shape words_below_end 0 <<'C'
	for (; w < last; w++) { m = *w; MIX; }
C
shape words_until_end 0 <<'C'
	for (; w != last; w++) { m = *w; MIX; }
C
shape steps_by_choice 1 <<'C'
	while (p < end) { m = *p; p += m < 128 ? 1 : 2; MIX; }
C
shape steps_by_table 1 <<'C'
	static const char length[] = {1, 1, 1, 1, 2, 2, 3, 4};
	end = st->in + (n < 65000 ? n : 65000);
	while (p < end) { m = *p; p += length[m >> 5]; MIX; }
C

for example in "$here"/../../probes/*.c; do
	compare "$(basename "$example")" "$example" 0
	check "$(basename "$example"): nothing is always stopped" [ ! -s "$tmp/err" ]
done

# ---- loops that no run leaves ----

# A loop that goes round more often than it may always stops the run: then there is a warning with its count. Not if some
# run may leave it sooner. never_left LOOP WARNING OPTION...
never_left() {
	cat >"$tmp/left.c" <<C
#include <ward/probe.h>
struct ward_state { ward_count n, done; unsigned long i, v[8]; };
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{ unsigned long x = ev->arg[0];
$1
	st->n += x, st->done++;
}
C
	run cc "${@:3}" "$tmp/left.c" -o "$tmp/left.ward"
	check "left: $1: status" [ "$status" = 0 ]
	check "left: $1: warnings" [ "$(lines 'warning: ' "$tmp/err")" = "$([ -z "$2" ] && echo 0 || echo 1)" ]
	[ -z "$2" ] || check "left: $1: warning" grep -qE "left.c:6:$2" "$tmp/err"
}
mix='x = x * 5 ^ x >> 3;'
never_left "for (int i = 0; i < 10000000; i++) $mix" \
	'1: warning: no run leaves this loop: each is stopped after 4096 rounds at the latest: .*may go back 9999999 times$'
check "left: a hint" grep -qE '^ +hint: .*WARD_BOUND.*--rounds' "$tmp/err"
run trace -o "$tmp/results" "$tmp/left.ward" -- "$targets/target" 100 0
check "left: and so it is" grep -qE 'left.c:6: 100 runs stopped here: a loop' "$tmp/results"
never_left "for (int i = 0; i < 100000; i++) $mix" '1: warning: .* after 100 rounds .* 99999 times$' --rounds 100 --max-insns 9999
never_left "for (int i = 0; i < 100000; i++) $mix" '' --rounds 100
never_left "for (int i = 0; i < 10000000; i++) { $mix if (x == 7) break; }" ''
never_left "for (int i = 0; i < 10000000; i++) { $mix if (x == 7) return; }" ''
never_left "for (unsigned long i = x; i < 10000000; i++) $mix" ''
never_left "WARD_BOUND(10) for (int i = 0; i < 10000000; i++) $mix" \
	'16: warning: .* after 10 rounds, its WARD_BOUND, at the latest$'
never_left "for (unsigned i = 0; i != 100000; i += 3) $mix" '1: warning: .* after 4096 rounds'
never_left "for (int i = 0; i < 10000; i++) st->v[i]++;" '1: warning: no run leaves this loop: each is stopped in it$'
never_left "for (unsigned long i = 0; i < x; i++) st->v[i]++;" ''
never_left "while (st->v[x & 7] != x) $mix" ''

summary
