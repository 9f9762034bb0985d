#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The long runs: everything that `make check` draws at random, with more draws and other seeds. A working day on two processors: four hours of it are `checks`, nearly one each
# `proofs`, `oracle` and `dialect`, and some `servers`.
#
# Each step prints what it did and its figures, and fails if it finds anything. `tools/soak.sh BUILD [STEP...]` runs some steps only;
# WARD_SOAK_SECONDS (60) is how long each fuzzer runs, WARD_SOAK_SEED (a number from the clock) what the first seed is.
set -u
build=${1:-build}
shift
bin=$build/bin
seconds=${WARD_SOAK_SECONDS:-60}
seed=${WARD_SOAK_SEED:-$(date +%s)}
good=(tests/corpus/good probes tests/codegen/sources tests/mutate/modules)
begun=$SECONDS
steps=0 failed=0
declare -A runs bad spent figure
names=()

# Run a step and show the lines of its output that sum it up, or all of them if it fails.
step() { # name, pattern of the lines, command
	local name=$1 lines=$2 at=$SECONDS log status=0
	shift 2
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	steps=$((steps + 1))
	printf '%-10s %4d s  ' "$name" $((SECONDS - at))
	if [ "$status" = 0 ]; then
		grep -E "$lines" "$log" | tail -n 3 | sed '2,$s/^/                   /' || true
		grep -qE "$lines" "$log" || echo ok
	else
		failed=$((failed + 1))
		echo "FAILED with status $status: $*"
		tail -n 60 "$log"
	fi
	note "$name" "$status" $((SECONDS - at)) "$(grep -E "$lines" "$log" | tail -n 1)"
	rm -f "$log"
}

# Remember a step for the table at the end.
note() { # name, status, seconds, its last figures
	[ -n "${runs[$1]:-}" ] || names+=("$1")
	runs[$1]=$((${runs[$1]:-0} + 1))
	spent[$1]=$((${spent[$1]:-0} + $3))
	[ "$2" = 0 ] || bad[$1]=$((${bad[$1]:-0} + 1))
	figure[$1]=$4
}

table() {
	printf '\n%-14s %5s %7s %8s  %s\n' step runs failed seconds 'figures of the last run'
	for name in "${names[@]}"; do
		printf '%-14s %5d %7d %8d  %s\n' "$name" "${runs[$name]}" "${bad[$name]:-0}" "${spent[$name]}" "${figure[$name]}"
	done
}

numbers() { for i in 1 2 3 4 5; do step numbers '^num: .* checks' "$bin/ward-num-oracle" $((seed + i)); done; }
oracle() { for i in 1 2 3 4 5; do step oracle 'covered' "$bin/ward-oracle" $((seed + i)) 1000; done; }
claims() { for i in 1 2 3 4 5; do step claims 'contained' "$bin/ward-claims-oracle" $((seed + i)); done; }
loops() { for i in 1 2 3 4 5; do step loops '^loops: accepted' "$bin/ward-loops-oracle" $((seed + i)) 3000000; done; }
# In two processes: the compilers take nearly all of the time, a quarter of a second for each program.
dialect() {
	step dialect '^dialect: .*0 failed' bash -c '"$1" "$2" 10000 & "$1" "$3" 10000; s=$?; wait $! && exit $s' - "$bin/ward-dialect" $((seed + 1)) $((seed + 2))
}
# In two processes: the programs' compiler takes half of the time.
targets() {
	step targets '^targets: .*0 failed' bash -c '"$1" "$2" 2000 & "$1" "$3" 2000; s=$?; wait $! && exit $s' - "$bin/ward-targets" $((seed + 1)) $((seed + 2))
}
mutants() { step mutants '^mutate: .* mutants' "$bin/ward-mutate" -s "$seed" -n 100000 "${good[@]}"; }
programs() { for i in 1 2 3; do step programs '^random: .*accepted' "$bin/ward-random" $((seed + i)) 50000; done; }
proofs() {
	local list bitcode
	mapfile -t bitcode <"$build/tests/z3/bitcode.txt"
	list=$(mktemp)
	step proofs '^z3:' "$bin/ward-z3" -e 20 -l "$list" "${bitcode[@]}"
	cat "$list"
	rm -f "$list"
	step damaged '^z3:' "$bin/ward-z3" --damaged "${bitcode[@]}"
}
decoders() {
	step decoders 'agree: |Synthesis' "$bin/test-agree" --verbose
	for i in 1 2 3 4 5; do step decoders 'same: .* differ|Synthesis' env WARD_SAME_SEED=$((seed + i)) "$bin/test-same" --verbose; done
}
# Other numbers of threads, other times at which targets and tracers are killed, other orders.
stress() { for i in 1 2 3 4 5; do step stress 'Synthesis' env WARD_STRESS_SEED=$((seed + i)) "$bin/test-loader-stress"; done; }
# Servers under load: thousands of probes that come and go, hundreds of tracers that are killed, clients whose results are checked.
servers() {
	for server in redis postgres; do
		step "$server" '^[0-9]+ passed' env WARD_PROGRAM_TIMES=1250 "tests/programs/$server.sh" "$bin/ward" "$build"
	done
}
# The kernel's functions: probes that come and go thousands of times, hundreds of tracers that are killed.
kernel() { step kernel '^[0-9]+ passed' env WARD_KERNEL_SECONDS=21600 WARD_KERNEL_APPEND=WARD_CYCLES=2000 tests/kernel/run.sh "$build" often; }
# Each check of the verifier off in turn, and each of its choices and steps.
checks() { step checks '^checks: .* turned off' "$bin/ward-checks" -k cso tests/corpus tests/checks/implied; }
fuzz() {
	for target in module note proof infer; do
		step "fuzz $target" 'DONE' tests/fuzz/run.sh "$bin/ward-fuzz-$target" -max_total_time="$seconds" -seed=$((seed % 1000000007)) -len_control=20
	done
}

echo "soak: seed $seed"
for s in "${@:-numbers oracle claims loops programs dialect targets mutants checks proofs decoders stress servers kernel fuzz}"; do
	for one in $s; do
		"$one"
	done
done
table
echo "soak: $steps steps, $failed failed, $((SECONDS - begun)) s"
[ "$failed" = 0 ]
