#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The kernel suite on each kernel that Debian's packages reach: this release's, that of its backports, and the newest.
#
#	every.sh BUILD [PATTERN]
#
# With WARD_KERNEL set, on the one of that suite alone. The last lines say which kernels these were, and how they did.
set -eu -o pipefail

cd "$(dirname "$0")/../.."
build=$(readlink -f "$1")
case ${WARD_KERNEL-all} in
all) suites=(own bookworm-backports trixie-backports) ;;
"") suites=(own) ;;
*) suites=("$WARD_KERNEL") ;;
esac

said=() failed=0 ran=0
for suite in "${suites[@]}"; do
	[ "$suite" = own ] && name= || name=$suite
	mkdir -p "$build/kernel"
	status=0
	tests/kernel/packages.sh "$build/kernel/vm" $name || status=$?
	if [ "$status" = 3 ]; then
		said+=("$suite: not reached")
		continue
	fi
	log=$build/kernel/$suite.log
	[ "$status" != 0 ] || WARD_KERNEL=$name tests/kernel/run.sh "$build" ${2:+"$2"} 2>&1 | tee "$log" || status=$?
	kernel=$(cat "$build/kernel/vm/$suite/release" 2>/dev/null) || kernel=$suite
	if [ "$status" = 0 ]; then
		said+=("$kernel: $(tail -n 1 "$log")")
	else
		said+=("$kernel: FAILED: $(tail -n 1 "$log" 2>/dev/null || echo "its packages can't be had")")
		failed=1
	fi
	ran=1
done
printf '%s\n' "${said[@]}"
[ "$failed" = 0 ] && [ "$ran" = 1 ]
