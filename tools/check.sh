#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Build twice, with ASan and UBSan and as it is shipped, run the tests in both, and count.
#
# The last line of all is "N passed, N failed": Criterion's tests one by one, other tests as ctest knows them, over both builds.
set -u
build=${1:-build}

# Sum up ctest's list of what failed and its log: a test has failed if ctest says so; those that report their own numbers count with those.
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

passed=0 failed=0 ends=
run() { # directory, tests to leave out, further arguments for cmake
	local dir=$1 without=$2
	shift 2
	echo "== $dir: build"
	mkdir -p "$dir"
	cmake -G Ninja -S . -B "$dir" "$@" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log"; return 1; }
	ninja -C "$dir" || return 1
	echo "== $dir: tests"
	# No test has a limit of its own. This is the runner's guard against what never ends: a hang is to name its test, and leave the others to be run. The longest one, z3-proofs, takes ten minutes of both processors, and half as much again on a machine with much else to do.
	local list="$dir/Testing/Temporary/LastTestsFailed.log" log="$dir/Testing/Temporary/LastTest.log"
	rm -f "$list" "$log"
	ctest --test-dir "$dir" --output-on-failure --timeout 1800 -j "$(nproc)" ${without:+-E "$without"}
	local status=$? p f
	[ -e "$list" ] || : >"$list"
	read -r p f < <(count "$list" "$log")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	[ "$status" = 0 ] && [ "${p:-0}" -gt 0 ] || [ "${f:-0}" -gt 0 ] || failed=$((failed + 1))
	ends+=${ends:+$'\n'}$(failures "$list" "$log")
}

run "$build" '' -DWARD_SANITIZE=OFF || failed=$((failed + 1))
# What Z3 is asked about is bitcode, the same in both builds.
echo "== $build: proven by Z3"
cat "$build/tests/z3/proven.txt"
run "$build/check" '^z3-' -DWARD_SANITIZE=ON || failed=$((failed + 1))
[ -z "$ends" ] || printf '%s\n' "$ends"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
