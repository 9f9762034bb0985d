#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pieces of parsers, decoders and formats as their authors write them, over a buffer of 4096 bytes: how many are
# accepted at the default limit, and how far the proven bound of a run lies above the instructions that the worst of
# the inputs named in a piece takes.
. "$(dirname "$0")/lib.sh"

# The greatest ratio of each: lower it where that has become better. All are accepted at the default limit.
declare -A most=([base64]=1.2 [csv]=2.2 [dns]=551 [glob]=1.3 [hex]=1.1 [json]=2.3 [numbers]=2 [percent]=2.4
	[protobuf]=6.1 [syslog]=5.2 [url]=2.1 [utf8]=3.5 [varint]=1.2)
# These have a counter for a nest of loops. Their bound is that of the counter, whatever the input may be.
most+=([asn1]=34 [http]=37 [ini]=46 [lz4]=27 [mime]=29 [rle]=15 [tar]=44 [xml]=60)

at_most() { [ "$(echo "$1 <= $2" | bc)" = 1 ]; }

verify=$(dirname "$ward")/ward-verify
report="%-9s %-8s %11s %7s %7s %11s %9s %8s\n"

# The most instructions that the module $1 takes for the inputs that the piece $2 names: in $counted.
count_worst() {
	local line insns
	counted=0
	while IFS= read -r line; do
		printf '%b' "${line%, then *}" >"$tmp/text"
		: >"$tmp/rest"
		[ "$line" = "${line%, then *}" ] || printf '%b' "${line##*, then }" >"$tmp/rest"
		read -r _ insns <<<"$("$targets/count" "$1" "$tmp/text" "$tmp/rest" 2>"$tmp/err")"
		check "$2: $line runs, and keeps its verdict" [ "${insns:-0}" -gt 0 ]
		[ "${insns:-0}" -le "$counted" ] || counted=$insns
	done < <(sed -n 's,^/\* worst: \(.*\) \*/$,\1,p' "$2")
}

# shellcheck disable=SC2059
printf "$report" piece default limit guards capped bound counted ratio
accepted=0 close=0
for piece in "$here"/pieces/*.c; do
	name=$(basename "$piece" .c) at=yes
	run cc --report "$piece" -o "$tmp/piece.ward"
	if [ "$status" != 0 ]; then
		at=no
		check "$name: the limit is what it exceeds" grep -q 'V-63' "$tmp/err"
		need=$(sed -n 's/.* may take \([0-9]*\) instructions; the limit .*/\1/p' "$tmp/err" | head -1)
		run cc --max-insns "$need" --report "$piece" -o "$tmp/piece.ward"
		check "$name: at the limit that the refusal names" [ "$status" = 0 ]
	else
		accepted=$((accepted + 1))
	fi
	guards=$(sed -n 's/^[0-9]* proven, \([0-9]*\) guarded.*/\1/p' "$tmp/out")
	capped=$(lines ' loop  *guarded: at most ' "$tmp/out")
	bound=$("$verify" --max-insns 1000000000000 --json "$tmp/piece.ward" | jq '.entries[0].max_insns')
	count_worst "$tmp/piece.ward" "$piece"
	ratio=$(awk "BEGIN { printf \"%.2f\", $bound / $counted }")
	echo "$ratio" >>"$tmp/ratios"
	limit=$bound
	[ $at = no ] || limit=-
	# shellcheck disable=SC2059
	printf "$report" "$name" $at "$limit" "$guards" "$capped" "$bound" "$counted" "$ratio"
	at_most "$ratio" 2 && close=$((close + 1))
	[ $at = no ] || check "$name: the ratio is at most ${most[$name]:-unknown}" at_most "$ratio" "${most[$name]:-0}"
done

pieces=$(wc -l <"$tmp/ratios")
median=$(sort -n "$tmp/ratios" | sed -n "$(((pieces + 1) / 2))p")
echo "$accepted of $pieces accepted at the default limit; median ratio $median; $close at most 2"
check "accepted at the default limit" [ "$accepted" = ${#most[@]} ]
summary
