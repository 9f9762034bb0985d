#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A fresh clone in a minimal Debian 12 that has make and gcc: what the README says to type first. Needs root and a
# network. Usage: fresh.sh SOURCE BUILD [TARGET...] (default: demo)
set -u
source=$1 build=$2
shift 2
. "$source/tests/packaging/chroot.sh"
chroot_begin check-fresh "$build/debian"
passed=0 failed=0

chroot_new clone
chroot_install clone make gcc
git clone -q --no-hardlinks "$source" "$chroot_dir/clone/ward" || exit 2
for target in "${@:-demo}"; do
	if chroot_run clone make -C /ward "$target" </dev/null >"$chroot_dir/$target.log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: make $target: see $chroot_dir/$target.log"
	fi
	tail -n 30 "$chroot_dir/$target.log"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
