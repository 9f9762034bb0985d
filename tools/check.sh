#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Build, run the tests, say how long each took, and count. Which tests is said by a word (tests/tiers.cmake has the
# labels):
#   quick   as it is shipped, those that say soonest what broke
#   check   as it is shipped and with ASan and UBSan; without what takes longest, and with sanitizers only what is about memory
#   full    all, in both
#
# The last line of all is "N passed, N failed": Criterion's tests one by one, other tests as ctest knows them, over
# both builds.
set -u
build=${1:-build} tier=${2:-check}
case $tier in
quick) shipped=(-L '^quick$') ;;
check) shipped=(-LE '^full$') sanitized=(-LE '^(full|once)$') ;;
full) shipped=() sanitized=() ;;
*)
	echo "ward: check: $tier: no such set of tests" >&2
	echo "hint: tools/check.sh BUILD [quick|check|full]" >&2
	exit 2
	;;
esac

# Sum up ctest's list of what failed and its log: a test has failed if ctest says so; those that report their own
# numbers count with those.
count() { # list (lines "number:name"), log
	awk '
		function flush_test() {
			if (!name) return
			if (bad[name] && !f) f = 1
			if (!bad[name] && !own) p = 1
			passed += p; failed += f
			name = ""
		}
		FILENAME == ARGV[1] { sub(/^[0-9]+:/, ""); bad[$0] = 1; next }
		/^[0-9]+\/[0-9]+ Testing: / { flush_test(); name = $3; own = p = f = 0 }
		/Synthesis: Tested: / {
			gsub(/\033\[[0-9;]*m/, "")
			for (i = 1; i < NF; i++) {
				if ($i == "Passing:") p += $(i + 1)
				if ($i == "Failing:") f += $(i + 1)
				if ($i == "Crashing:") f += $(i + 1)
			}
			own = 1
		}
		/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3; own = 1 }
		END { flush_test(); print passed + 0, failed + 0 }
	' "$@"
}

# What the tests of the list printed last, to stand at the end of a long log.
failures() { # list, log
	awk '
		FILENAME == ARGV[1] { sub(/^[0-9]+:/, ""); bad[$0] = 1; next }
		/^[0-9]+\/[0-9]+ Testing: / { name = $3; n = 0; printing = 0 }
		bad[name] && /^Output:$/ { printing = 1; next }
		printing && /^<end of output>$/ { print "-- " name " failed:"; for (i = n > 12 ? n - 12 : 0; i < n; i++) print line[i]; printing = 0 }
		printing { line[n++] = $0 }
	' "$@"
}

# Of what ctest's log has of each test.
times() { # log
	awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3 } /^Test time = / { printf "%8.1f s  %s\n", $4, name }' "$1" |
		LC_ALL=C sort -rn
}

passed=0 failed=0 ends=
run() { # directory, how it is configured, which tests
	local dir=$1 configured=$2
	shift 2
	echo "== $dir: build"
	mkdir -p "$dir"
	cmake -G Ninja -S . -B "$dir" "$configured" >"$dir/configure.log" 2>&1 ||
		{ cat "$dir/configure.log"; return 1; }
	ninja -C "$dir" || return 1
	echo "== $dir: tests ($tier)"
	# No test has a limit of its own. This is the runner's guard against what never ends: a hang is to name its
	# test, and leave the others to be run. The longest one, z3-proofs, takes ten minutes of both processors, and
	# half as much again on a machine with much else to do.
	local list="$dir/Testing/Temporary/LastTestsFailed.log" log="$dir/Testing/Temporary/LastTest.log"
	rm -f "$list" "$log"
	ctest --test-dir "$dir" --output-on-failure --timeout 1800 -j "$(nproc)" "$@"
	local status=$? p f
	echo "== $dir: times"
	times "$log"
	[ -e "$list" ] || : >"$list"
	read -r p f < <(count "$list" "$log")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	[ "$status" = 0 ] && [ "${p:-0}" -gt 0 ] || [ "${f:-0}" -gt 0 ] || failed=$((failed + 1))
	ends+=${ends:+$'\n'}$(failures "$list" "$log")
}

run "$build" -DWARD_SANITIZE=OFF "${shipped[@]}" || failed=$((failed + 1))
case $tier in
check) echo "== $build: proven by Z3" && grep '^z3: ' "$build/Testing/Temporary/LastTest.log" ;;
full) echo "== $build: proven by Z3" && cat "$build/tests/z3/proven.txt" ;;
esac
[ "$tier" = quick ] || run "$build/check" -DWARD_SANITIZE=ON "${sanitized[@]}" || failed=$((failed + 1))
[ -z "$ends" ] || printf '%s\n' "$ends"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
