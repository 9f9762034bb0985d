#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The long runs: everything that `make full` draws at random, with more draws and other seeds, and what takes too long
# for it. A step is cut into slices, each of which takes twenty minutes of two processors
# at most. Each slice adds a line to BUILD/soak.log: when, which, of which commit, with which seed, how long, how it
# ended, its figures.
#
#   tools/soak.sh BUILD [STEP | STEP/SLICE]...   run all, or some; WARD_SOAK_SEED is the seed (a number from the clock)
#   tools/soak.sh --list                         how many slices each step has
#   tools/soak.sh --sum BUILD                    sum the record up
#
# Slices that draw have seeds of their own: the seed, and on from there. Those of proofs, damaged, checks and kernel
# are parts of one list: to run them all is to run all of it.
# WARD_SOAK_SECONDS (300) is how long each fuzzer runs.
set -u

steps=(numbers oracle claims loops programs dialect targets mutants checks proofs damaged decoders same stress stacks \
	redis postgres kernel queries tree cluster fuzz)
declare -A slices=([numbers]=5 [oracle]=5 [claims]=5 [loops]=5 [programs]=6 [dialect]=8 [targets]=4 [mutants]=5 \
	[checks]=24 [proofs]=12 [damaged]=2 [decoders]=1 [same]=5 [stress]=5 [stacks]=5 [redis]=5 [postgres]=5 \
	[kernel]=20 [queries]=5 [cluster]=16 [tree]=2 [fuzz]=11)
# What a slice prints of what it did.
declare -A figures=(
	[numbers]='^num: .* checks' [oracle]='covered' [claims]='contained' [loops]='^loops: accepted' \
		[programs]='^random: .*accepted' [dialect]='^dialect: .*0 failed'
	[targets]='^targets: .*0 failed' [mutants]='^mutate: .* mutants' [checks]='^checks: .* turned off' \
		[proofs]='^z3:' [damaged]='^z3:' [decoders]='agree: |Synthesis'
	[same]='same: .* differ|Synthesis' [stress]='Synthesis' [stacks]='^[0-9]+ passed' \
		[redis]='^[0-9]+ passed' [postgres]='^[0-9]+ passed' [kernel]='^[0-9]+ passed' [queries]='^[0-9]+ passed' [cluster]='^[0-9]+ rows' [tree]='^[0-9]+ runs' [fuzz]='DONE'
)
limit=1200

numbers() { "$bin/ward-num-oracle" "$seed"; }
oracle() { "$bin/ward-oracle" "$seed" 1000; }
claims() { "$bin/ward-claims-oracle" "$seed"; }
loops() { "$bin/ward-loops-oracle" "$seed" 3000000; }
programs() { "$bin/ward-random" "$seed" 25000; }
# In two processes: the compilers take nearly all of the time, a quarter of a second for each program.
both() { # command, its first number, its second, the rest
	"$1" "$2" "${@:4}" &
	"$1" "$3" "${@:4}"
	local status=$?
	wait $! && return $status
}
dialect() { both "$bin/ward-dialect" $((2 * seed)) $((2 * seed + 1)) 2500; }
targets() { both "$bin/ward-targets" $((2 * seed)) $((2 * seed + 1)) 1000; }
mutants() { "$bin/ward-mutate" -s "$seed" -n 20000 tests/corpus/good probes tests/codegen/sources \
	tests/mutate/modules; }
# Each check of the verifier off in turn, and each of its choices and steps.
checks() { "$bin/ward-checks" -i -k cso -p "$slice/${slices[checks]}" tests/corpus tests/checks/implied; }
proofs() { xargs -a "$build/tests/z3/bitcode.txt" "$bin/ward-z3" -e 20 --part="$slice/${slices[proofs]}"; }
damaged() { xargs -a "$build/tests/z3/bitcode.txt" "$bin/ward-z3" --damaged --part="$slice/${slices[damaged]}"; }
decoders() { "$bin/test-agree" --verbose; }
same() { WARD_SAME_SEED=$seed "$bin/test-same" --verbose; }
# Other numbers of threads, other times at which targets and tracers are killed, other orders.
stress() { WARD_STRESS_SEED=$seed "$bin/test-loader-stress"; }
# A busy program, to which hundreds of tracers that take stacks and call trees come, a third of them to be killed.
stacks() {
	WARD_STRESS_SEED=$seed WARD_PROGRAM_TIMES=100 tests/cli/stacks_often.sh "$bin/ward" "$build/tests/cli"
}
# A cluster with combiners, as a model.
tree() { "$bin/test-cluster-model" 10000 $((seed * 10000)); }
# Servers under load: thousands of probes that come and go, hundreds of tracers that are killed, clients whose results
# are checked.
redis() { WARD_PROGRAM_TIMES=250 tests/programs/redis.sh "$bin/ward" "$build"; }
postgres() { WARD_PROGRAM_TIMES=250 tests/programs/postgres.sh "$bin/ward" "$build"; }
# The kernel's functions: probes that come and go thousands of times, hundreds of tracers that are killed.
kernel() { WARD_KERNEL_SECONDS=$limit WARD_KERNEL_APPEND=WARD_CYCLES=100 tests/kernel/run.sh "$build" often; }
# Random queries of a live program, against a second implementation of the language.
queries() { "$bin/ward-query-random" "$bin/ward" "$bin/target-events" $((600 * seed)) 600; }
# The matrix of faults: each group of rows twenty times, in four slices.
cluster() {
	local groups=(killed network hostile machine)
	python3 tests/cluster/faults.py "$build/tests/cluster/faults.txt" "${groups[slice / 4]}" --seed $((5 * seed)) --times 5
}
fuzz() {
	local target=(module note proof infer query partial order config channel unwind inline)
	tests/fuzz/run.sh "$bin/ward-fuzz-${target[slice]}" -max_total_time="${WARD_SOAK_SECONDS:-300}" \
		-seed=$((seed % 1000000007)) -len_control=20
}

# Run a slice, print how it went, and add that to the record. What is cut off by the limit has shown nothing.
run_slice() {
	local log status=0 at=$SECONDS result=ok line
	log=$(mktemp)
	timeout --kill-after=10 $limit "$0" --slice "$build" "$step" "$slice" "$seed" >"$log" 2>&1 || status=$?
	line=$(grep -aE "${figures[$step]}" "$log" | tail -n 1 | tr '\t' ' ')
	[ "$status" = 124 ] || [ "$status" = 137 ] && result=cut
	[ "$status" = 0 ] || [ "$result" = cut ] || result="failed ($status)"
	printf '%-12s seed %-12s %5d s  %s  %s\n' "$step/$slice" "$seed" $((SECONDS - at)) "$result" "$line"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$step/$slice" "$commit" "$seed" \
		$((SECONDS - at)) "$result" "$line" >>"$build/soak.log"
	if [ "$result" != ok ]; then
		failed=$((failed + 1))
		tail -n 60 "$log"
	fi
	rm -f "$log"
}

sum_up() { # record
	awk -F'\t' '
		{
			split($2, part, "/")
			step = part[1]
			if (!(step in runs)) order[n++] = step
			runs[step]++; seconds[step] += $5
			if ($6 == "cut") cut[step]++
			else if ($6 != "ok") bad[step]++
			if (!(($2, $4) in seen)) { seen[$2, $4] = 1; different[step]++ }
			if ($6 == "ok") figures[step] = $7
			last = $1
			if (!first) first = $1
			all += $5; failed += ($6 != "ok" && $6 != "cut")
		}
		END {
			printf "%-10s %6s %9s %6s %5s %9s  %s\n", "step", "slices", "different", "failed", "cut", "hours", "figures of the last"
			for (i = 0; i < n; i++) {
				s = order[i]
				printf "%-10s %6d %9d %6d %5d %9.1f  %s\n", s, runs[s], different[s], bad[s], cut[s], seconds[s] / 3600, figures[s]
			}
			printf "soak: %d slices, %d failed, %.1f hours, from %s to %s\n", NR, failed, all / 3600, first, last
			exit failed != 0
		}' "$1"
}

fail() {
	echo "ward: soak: $1" >&2
	echo "hint: $2" >&2
	exit 2
}

# The slices that are meant by STEP or by STEP/SLICE.
numbers_of() {
	local n=${slices[${1%%/*}]:-0}
	seq 0 $((n - 1)) | if [ "$1" = "${1%%/*}" ]; then grep .; else grep -x -F -e "${1#*/}"; fi
}

case ${1:-} in
--list)
	for s in "${steps[@]}"; do echo "$s ${slices[$s]}"; done
	exit
	;;
--sum)
	build=${2:-build}
	[ -s "$build/soak.log" ] || fail "$build/soak.log: there is no record" \
		"tools/soak.sh $build runs slices, and adds to it"
	sum_up "$build/soak.log"
	exit
	;;
--slice)
	build=$2 step=$3 slice=$4 seed=$5 bin=$2/bin
	"$step"
	exit
	;;
esac

build=$(realpath -m "${1:-build}") # some steps work in a directory of their own
shift
seed0=${WARD_SOAK_SEED:-$(date +%s)}
commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
wanted=("$@")
[ $# != 0 ] || wanted=("${steps[@]}")
for one in "${wanted[@]}"; do
	numbers_of "$one" >/dev/null || fail "$one: no such step or slice" "tools/soak.sh --list lists them"
done

echo "soak: seed $seed0"
failed=0
for one in "${wanted[@]}"; do
	step=${one%%/*}
	for slice in $(numbers_of "$one"); do
		seed=$((seed0 + slice))
		run_slice
	done
done
echo
sum_up "$build/soak.log"
[ "$failed" = 0 ]
