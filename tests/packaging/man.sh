#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Manual pages: without an error of form, with each option that --help has, and each command of ward.
# Usage: man.sh BUILD
set -u
build=$1
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

ok() { # STATUS WHAT: the status first, for $? is that of a command in what is said before it
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $2"
	fi
}

file_of() { # PAGE: of section 1, if it names none
	case $1 in
	*.[0-9]) echo "$build/packaging/$1" ;;
	ward-agent) echo "$build/packaging/$1.8" ;;
	*) echo "$build/packaging/$1.1" ;;
	esac
}

render() { # PAGE: plain text, words whole
	groff -mdoc -Tutf8 -ww -P-cbou "$(file_of "$1")" 2>"$tmp/errors" | tr '‐−' '--' | tr '\n' ' ' | tr -s ' '
}

check() { # PAGE COMMAND...
	local page=$1 text option
	shift
	text=$(render "$page")
	[ -n "$text" ] && [ ! -s "$tmp/errors" ]
	ok $? "$page: $(cat "$tmp/errors")"
	! grep -n '^\.\\"[A-Z]' "$(file_of "$page")"
	ok $? "$page: all parts are there"
	for section in NAME SYNOPSIS DESCRIPTION ${1:+"EXIT STATUS"} EXAMPLES "SEE ALSO"; do
		[[ $text == *" $section "* ]]
		ok $? "$page: $section"
	done
	[ $# = 0 ] && return
	"$@" --help >"$tmp/help"
	grep -oE '(^|[ ,])--?[A-Za-z][A-Za-z-]*' "$tmp/help" | tr -d ' ,' | sort -u >"$tmp/options"
	[ -s "$tmp/options" ]
	ok $? "$page: --help has options"
	while read -r option; do
		[[ $text == *[\ ,]"$option"[\ ,=.]* ]]
		ok $? "$page: $option"
	done <"$tmp/options"
}

check ward "$build/bin/ward"
for command in $("$build/bin/ward" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | grep -v '^help$'); do
	check "ward-$command" "$build/bin/ward" "$command"
	[[ $(render ward) == *"ward-$command("[18]")"* ]]
	ok $? "ward(1) names ward-$command"
done
check ward-verify "$build/bin/ward-verify"
check ward-agent.8 "$build/bin/ward-agent"
check ward-agent.conf.5
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
