#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Instructions inside functions, FUNCTION+OFFSET and 0xADDRESS: each is counted exactly, or refused with the reason. The
# oracle is the program itself, which steps through the function and counts; objdump says where instructions begin.
. "$(dirname "$0")/lib.sh"

program=$targets/offsets
probe=$tmp/calls.ward
run cc -o "$probe" "$here/../../probes/calls.c"
check "cc: status" [ "$status" = 0 ]
no_room="there is no room for a jump: code that is jumped to, or a call, is too near"
declare -A refusals=()

# A probe there, while the program runs as it does without one.
traced() { # site, function, times, what isn't empty if it is padding
	run trace -q --json -o "$tmp/results" -f "$1" "$probe" -- "$program" "$2"
	if [ "$status" != 0 ]; then
		refusals[$2]=$((${refusals[$2]:-0} + 1))
		# Padding is the one thing that no path leads to.
		check "$1: refused for want of room" grep -qF -e "$1: $no_room" \
			${4:+-e "$1: no path through the function is known to lead there"} "$tmp/err"
		return
	fi
	check "$1: result" [ "$(cat "$tmp/out")" = "$result" ]
	check "$1: counted" [ "$(jq -s '.[-1].events' "$tmp/results")" = "$3" ]
	check "$1: none dropped" [ "$(jq -s '.[-1].dropped' "$tmp/results")" = 0 ]
}

# Each byte of a function.
probe_all() { # function
	local start size at times
	local -A insns=() ran=()
	local padding inside=()

	read -r start size < <(nm -S "$program" | awk -v f="$1" '$4 == f {print $1, $2}')
	start=$((16#$start)) size=$((16#$size))
	while read -r at; do
		insns[$((16#${at%% *} - start))]=${at#* }
	done < <(objdump -d --no-show-raw-insn --disassemble="$1" "$program" | sed -n 's/^ *\([0-9a-f]*\):\t/\1 /p')
	while read -r at times; do
		ran[$at]=$times
	done < <("$program" "$1" count | tail -n +2)
	result=$("$program" "$1")
	check "$1: stepped through" [ "$("$program" "$1" count | head -n 1)" = "$result" ]
	check "$1: has instructions" [ "${#insns[@]}" -gt 15 ]
	for ((at = 0; at < size; at++)); do
		if [ -n "${insns[$at]:-}" ]; then
			padding=
			[[ ${insns[$at]} == *nop* && -z ${ran[$at]:-} ]] && padding=1
			traced "offsets!$1+$(printf '%#x' "$at")" "$1" "${ran[$at]:-0}" $padding
			continue
		fi
		inside+=(-f "offsets!$1+$at")
	done
	run trace -v -f "offsets!$1" "${inside[@]}" "$probe" -- "$program" "$1"
	check "$1: inside instructions" [ "$(lines ': no instruction begins there$' "$tmp/err")" = $((${#inside[@]} / 2)) ]
	check "$1: inside instructions: result" [ "$(head -n 1 "$tmp/out")" = "$result" ]
	check "$1: few refused" [ "${refusals[$1]:-0}" -lt $((${#insns[@]} / 3)) ]
}

probe_all hops
check "hops: its indirect call alone is refused" [ "${refusals[hops]}" = 1 ]
probe_all work

# An address is the file's own; it is the same site as the offset.
start=$(nm "$program" | awk '$3 == "hops" {print "0x" $1}')
site=$(printf 'offsets!%#x' $((start + 14)))
result=$("$program" hops)
traced "$site" hops 35
run trace -q --json -o "$tmp/results" -f "$site" -f 'offsets!hops+14' "$probe" -- "$program" hops
check "both names: one site" [ "$(jq -s '.[-1].events' "$tmp/results")" = 35 ]
run trace -o "$tmp/results" -f 'offsets!hops' -f 'offsets!hops+0x15' -f 'offsets!hops+14' "$probe" -- "$program" hops
check "with others: status" [ "$status" = 0 ]
check "with others: counted" grep -q '^42 events' "$tmp/results"
check "with others: the wrong one" grep -qF 'hops+0x15: no instruction begins there' "$tmp/err"

# What can't be.
trace=(trace -f)
end=("$probe" -- "$program" hops)
refused 3 'offsets!hops+0x1: no instruction begins there' "${trace[@]}" 'offsets!hops+0x1' "${end[@]}"
refused 3 'the function ends before that offset' "${trace[@]}" 'offsets!hops+4096' "${end[@]}"
refused 3 'chooses the function at load time' "${trace[@]}" 'libc!strlen+0' "${end[@]}"
refused 3 'no function matches `hop` in `offsets`' "${trace[@]}" 'offsets!hop+4' "${end[@]}"
refused 3 '`offsets` has no code at that address' "${trace[@]}" 'offsets!0x99999999' "${end[@]}"
refused 3 "no instruction begins there" "${trace[@]}" "$(printf 'offsets!%#x' $((start + 1)))" "${end[@]}"
refused 2 'an instruction has no entry and no return' "${trace[@]}" 'offsets!hops+14:return' "${end[@]}"
for member in 'arg[0]' ret elapsed; do
	cat >"$tmp/reads.c" <<-END
		#include <ward/probe.h>
		struct ward_state { ward_count n; };
		WARD_ENTRY() void f(const struct ward_event *ev, struct ward_state *st) { st->n += ev->$member; }
	END
	refused 2 "the probe reads ev->${member%[*}" "${trace[@]}" 'offsets!hops+14' "$tmp/reads.c" -- "$program" hops
done

# What an event has there: the thread, and the instruction's address.
cat >"$tmp/reads.c" <<-END
	#include <ward/probe.h>
	struct ward_state { ward_count n, time, tid, caller; };
	WARD_ENTRY() void f(const struct ward_event *ev, struct ward_state *st)
	{
		st->n++;
		st->time += ev->time > 0;
		st->tid += ev->tid > 0;
		st->caller += (ev->caller & 15) == 14;
	}
END
run trace -q --json -o "$tmp/results" -f 'offsets!hops+14' "$tmp/reads.c" -- "$program" hops
check "members: status" [ "$status" = 0 ]
for member in n time tid caller; do
	check "members: $member" grep -q "\"field\":\"$member\",\"kind\":\"count\",\"value\":35}" "$tmp/results"
done
summary
