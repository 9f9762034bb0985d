#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bash completion, asked as bash asks it. Usage: completion.sh SOURCE BUILD
set -u
source=$1 build=$2
tmp=$(mktemp -d) || exit 2
sleep 1000 & sleeper=$!
trap 'kill $sleeper; rm -rf "$tmp"' EXIT
PATH=$build/bin:$PATH
. "$source/completion/ward"
cd "$tmp" || exit 2
touch probe.c other.c probe.ward object.o text.md
mkdir directory
passed=0 failed=0

ask() { # WORD...: completes the last one; the answer on one line
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	if [ "$1" = ward ]; then _ward; else _ward_verify; fi
	printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' '
}

expect() { # ANSWER WORD...
	local want=$1 got
	shift
	got=$(ask "$@")
	if [ "$got" = "$want" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $*: '$got' instead of '$want'"
	fi
}

expect "trace" ward tr
expect "cc" ward c
expect "link list" ward l
expect "list" ward help lis
expect "--duration" ward trace --dur
expect "detach" ward de
expect "--json" ward list --j
expect "-std=" ward cc -s
expect "--rounds" ward cc --ro
expect "--rounds" ward trace --ro
expect "--allow" ward info probe.ward --al
expect "user" ward cc --profile u
expect "always auto never" ward cc --guards ""
expect "directory other.c probe.c probe.ward" ward trace ""
expect "other.c" ward cc o
expect "directory object.o" ward link ""
expect "object.o other.c" ward list o
expect "probe.ward" ward info p
expect "probe.ward" ward-verify p
expect "--sarif" ward-verify probe.ward --s
expect "" ward trace --threads ""
# Other processes' numbers may begin with this one's.
[[ " $(ask ward trace -p "$sleeper") " == *" $sleeper "* ]] && passed=$((passed + 1)) ||
	{ failed=$((failed + 1)); echo "FAIL: a process by its number"; }
[[ -z "$(ask ward trace -p "$sleeper" | tr ' ' '\n' | grep -v "^$sleeper")" ]] && passed=$((passed + 1)) ||
	{ failed=$((failed + 1)); echo "FAIL: a process whose number begins otherwise"; }
expect "probe.c probe.ward" ward trace -p 1 --json probe
expect "text.md" ward trace probe.c -- ls te
expect "directory" ward cc -I d
[[ " $(ask ward trace -p slee) " == *" $sleeper "* ]] && passed=$((passed + 1)) ||
	{ failed=$((failed + 1)); echo "FAIL: a process by its name"; }
[[ " $(ask ward trace probe.c -- slee) " == *" sleep "* ]] && passed=$((passed + 1)) ||
	{ failed=$((failed + 1)); echo "FAIL: a command"; }

# Every option with a value is known as such: an argument file is not offered in its place.
for command in trace list cc link info; do
	while read -r option; do
		got=$(ask ward "$command" "$option" "prob")
		case $option in
		-o | --output | --btf | --with-kernel) want="probe.c probe.ward" ;;
		*) want= ;;
		esac
		if [ "$got" = "$want" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo \
			"FAIL: ward $command $option: '$got'"; fi
	done < <(ward "$command" --help | grep -oE '^  (-., )?--?[a-z-]+ [A-Z]+' | grep -oE -- '-[^ ,]+ [A-Z]' |
		sed 's/ .*//')
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
