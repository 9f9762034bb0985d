#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Texts of a target that hold any bytes: none is shown as another, and nothing of them acts on a terminal.
. "$(dirname "$0")/lib.sh"

json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
line() { check "text: $1" grep -qxF -- "  $1" <(sed 's/ *[0-9]*$//' "$tmp/out"); }

cat >"$tmp/prog.c" <<'C'
__attribute__((noinline, noipa)) void feed(const char *s) { asm volatile("nop;nop;nop;nop;nop;nop" ::"r"(s) : "memory"); }
int main(void)
{
	static const char *const texts[] = {"a\tb", "a\nb", "a\x01" "b", "a\x7f" "b", "a\xff" "b", "a\xfe" "b", "a b", "a\r" "b", "\xed\xa0\x80x",
		"\xf4\x90\x80\x80x", "\xc0\x80x", "\xe2\x82", "\xc2\x85y", "\xe2\x80\xaez", "a\\tb", "\xc3\xb6"};
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		feed(texts[i]);
	return 0;
}
C
cat >"$tmp/probe.c" <<'C'
#include <ward/probe.h>
#include <ward/imports.h>
struct key { char s[8]; };
struct record { char s[8]; };
struct ward_state {
	WARD_MAP(struct key, ward_count, 64) m;
	WARD_RING(struct record, 64) r;
	char last[8], none[8], large[1000];
};
WARD_ENTRY("prog!feed")
void on_feed(const struct ward_event *ev, struct ward_state *st)
{
	struct key k = {0};
	struct record r;
	ward_read_str(k.s, sizeof k.s, ev->arg[0]);
	__builtin_memcpy(r.s, k.s, sizeof r.s);
	st->last[0] = '\xff';
	for (unsigned i = 0; i < 999; i++)
		st->large[i] = 'y';
	ward_map_add(&st->m, k, 1);
	ward_ring_push(&st->r, r);
}
C
cc -O2 "$tmp/prog.c" -o "$tmp/prog"

run trace --json -o "$tmp/results" "$tmp/probe.c" -- "$tmp/prog"
check "json: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "json: 16 keys, none like another" json '.[] | select(.field == "m") | [.entries[] | [.key.s, .bytes]] | length == 16 and (unique | length) == 16'
check "json: control characters" json '.[] | select(.field == "m") | [.entries[] | select(.bytes == null) | .key.s] | sort == (["a\tb", "a\nb", "a\u0001b", "a\u007fb", "a b", "a\rb", "\u0085y", "\u202ez", "a\\tb", "ö"] | sort)'
check "json: the bytes of what isn't UTF-8" json '.[] | select(.field == "m") | [.entries[] | .bytes."key.s" | values] | sort == ["61fe62", "61ff62", "c08078", "e282", "eda08078", "f490808078"]'
check "json: of records as well" json '[.[] | select(.type == "record") | .bytes."record.s" | values] == ["61ff62", "61fe62", "eda08078", "f490808078", "c08078", "e282"]'
check "json: and of members" json '.[] | select(.field == "last") | .value == "�" and .bytes == {"value": "ff"}'
check "json: nothing that a terminal would act on" [ "$(LC_ALL=C tr -d '\n -~\200-\377' <"$tmp/out" | wc -c)" = 0 ]
check "json: no such character either" [ "$(LC_ALL=C grep -c $'\xc2\x85\|\xe2\x80\xae' "$tmp/out")" = 0 ]

run trace -o "$tmp/results" "$tmp/probe.c" -- "$tmp/prog"
mv "$tmp/results" "$tmp/out"
for text in 'a\tb' 'a\nb' 'a\x01b' 'a\x7fb' 'a\xffb' 'a\xfeb' 'a b' 'a\rb' '\xed\xa0\x80x' '\xf4\x90\x80\x80x' \
	'\xc0\x80x' '\xe2\x82' '\u0085y' '\u202ez' 'a\\tb' 'ö'; do line "$text"; done
check "text: what is cut off" grep -qE '^large  y+\.\.\.$' "$tmp/out"
summary
