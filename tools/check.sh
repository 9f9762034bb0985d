#!/bin/bash
# Build twice, with ASan and UBSan and as it is shipped, run the tests in both, and count.
#
# The last line of all is "N passed, N failed": Criterion's tests one by one, other tests as ctest knows them, over both builds.
set -u
build=${1:-build}

# Sum up a ctest log: tests that report their own numbers count with those.
count() {
	awk '
		function flush_test() {
			if (!name) return
			if (!own) { if (ok) passed++; else failed++ }
			else { passed += p; failed += f; if (!ok && !f) failed++ }
			name = ""
		}
		/^[0-9]+\/[0-9]+ Testing: / { flush_test(); name = $3; own = p = f = ok = 0 }
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
		/^Test Passed\.$/ { ok = 1 }
		END { flush_test(); print passed + 0, failed + 0 }
	' "$@"
}

passed=0 failed=0
run() { # directory, tests to leave out, further arguments for cmake
	local dir=$1 without=$2
	shift 2
	echo "== $dir: build"
	mkdir -p "$dir"
	cmake -G Ninja -S . -B "$dir" "$@" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log"; return 1; }
	ninja -C "$dir" || return 1
	echo "== $dir: tests"
	# No test has a limit of its own. This is the runner's guard against what never ends: a hang is to name its test, and leave the others to be run. The longest one takes five minutes, and twice that on a machine with much else to do.
	ctest --test-dir "$dir" --output-on-failure --timeout 1800 -j "$(nproc)" ${without:+-E "$without"}
	local status=$? p f
	read -r p f < <(count "$dir/Testing/Temporary/LastTest.log")
	passed=$((passed + p)) failed=$((failed + f))
	[ "$status" = 0 ] || [ "$f" -gt 0 ] || failed=$((failed + 1))
}

run "$build" '' -DWARD_SANITIZE=OFF || failed=$((failed + 1))
# What Z3 is asked about is bitcode, the same in both builds.
echo "== $build: proven by Z3"
cat "$build/tests/z3/proven.txt"
run "$build/check" '^z3-' -DWARD_SANITIZE=ON || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
