#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The kernel suite: build the kernel modules, boot one of Debian's kernels with them in a virtual machine, and run the
# tests there. Any fault of the kernel's ends the machine (oops=panic). every.sh does so with each kernel.
#
#	run.sh BUILD [PATTERN]
#
# The kernel is this system's, or that of the suite of Debian's that WARD_KERNEL names (guest.sh).
# With a regular expression (without blanks), of the tests only those whose names it matches. "queries" are those for
# which the machine needs the compiler, "cluster" those of a cluster: they are run by that word, or without an
# expression.
#
# Counts only if the guest has said so and ended itself by its own word: a machine that panics, or hangs, has failed.
# The last line is "N passed, N failed".
set -eu -o pipefail

cd "$(dirname "$0")/../.."
build=$(readlink -f "$1")
part=check-kernel
. tests/kernel/guest.sh
[ "$(uname -m)" = x86_64 ] || fail machine "this is no x86-64" "Ward knows no other processors"
for program in "$build"/bin/{ward,ward-kernel-suite,ward-kernel-untouched}; do
	[ -x "$program" ] || fail "$program" "it isn't built" "run this as: make check-kernel"
done
take_packages

echo "== modules for $release"
build_modules module-kmod kmod
build_modules module-tests tests/kernel/module kmod/compat.h

echo "== guest"
guest=$work/guest
new_guest "$guest" tests/kernel/init
take_modules "$guest" "$work"/module-{kmod/ward_arena,kmod/ward,tests/ward_points}.ko
cp "$kernel/loop.ko" "$guest/modules/"
take_programs "$guest" "$build/bin/ward" "$build/bin/ward-kernel-suite"
for source in tests/kernel/probes/*.c probes/kernel/*.c probes/calls.c probes/modules.c; do
	"$build/bin/ward" cc --profile kernel --btf "$kernel/vmlinux.btf" "$source" -o \
		"$guest/probes/$(basename "$source" .c).ward"
done
for source in probes/tools/kernel/*.c; do
	"$build/bin/ward" cc --profile kernel --btf "$kernel/vmlinux.btf" "$source" -o \
		"$guest/probes/tool-$(basename "$source" .c).ward"
done
"$build/bin/ward" cc tests/kernel/probes/count.c -o "$guest/probes/user.ward"
"$build/bin/ward" cc probes/steps.c -o "$guest/probes/user-steps.ward"
# Of a compiler that was told nothing of a kernel's ways to return.
printf '%s\n' 'unsigned long on_call(const void *ev, unsigned long *state) { return ++*state; }' >"$work/plain.c"
clang-19 -O2 -mgeneral-regs-only -mno-red-zone -fPIC -c "$work/plain.c" -o "$work/plain.o"
"$build/bin/ward" link --profile kernel "$work/plain.o" -o "$guest/probes/plain.ward"
# Of one that was, and that calls through the table of addresses.
printf '%s\n' 'unsigned long ward_kernel_read(void *, unsigned long, unsigned long);' \
	'unsigned long on_call(const unsigned long *ev, unsigned long *state)' \
	'{ return *state += ward_kernel_read(state + 1, 8, ev[13]); }' >"$work/table.c"
clang-19 -O2 -mgeneral-regs-only -mno-red-zone -fPIC -fno-plt -mfunction-return=thunk-extern -c "$work/table.c" -o \
	"$work/table.o"
"$build/bin/ward" link --profile kernel "$work/table.o" -o "$guest/probes/table.ward"
# Of somebody who writes assembly.
clang-19 -c tests/kernel/probes/flags.s -o "$work/flags.o"
"$build/bin/ward" link --profile kernel --state 512 "$work/flags.o" -o "$guest/probes/flags.ward"
# Of one that writes to a variable of its own, which ward cc refuses.
printf '%s\n' 'static unsigned long last;' 'unsigned long on_call(const unsigned long *ev, unsigned long *state)' \
	'{ *state += ev[0] != last; return last = ev[0]; }' >"$work/writes.c"
clang-19 -O2 -mgeneral-regs-only -mno-red-zone -fPIC -mfunction-return=thunk-extern -c "$work/writes.c" -o \
	"$work/writes.o"
"$build/bin/ward" link --profile kernel "$work/writes.o" -o "$guest/probes/writes.ward"
pack_guest "$guest" "$work/initramfs"
# The kernel on a processor on which it returns by thunks, and on one where it needn't.
all_passed=0 all_failed=0
boot() { # processor, tests, files, memory
	local status=0 passed= failed=
	echo "== boot: $1"
	boot_guest "$3" "$work/console.log" "${2:+WARD_ONLY=$2} ${WARD_KERNEL_APPEND:-}" -m "$4" -smp \
		"${WARD_KERNEL_CPUS:-2}" -cpu "$1" || status=$?
	grep -a -v '^.\?\[2J' "$work/console.log" || true
	read -r passed failed < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/console.log" |
		tail -n 1) || true
	[ -n "${passed:-}" ] && grep -q '^ward: the guest is through$' "$work/console.log" ||
		fail guest "it ended before its tests did (status $status)" "its console is in $work/console.log"
	[ "$status" = 33 ] || fail guest "it ended with status $status instead of 33" \
		"its console is in $work/console.log"
	all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed))
}

# Queries are compiled where they are asked: the guest has the compiler.
boot_queries() {
	local guest=$work/guest-queries clang headers
	clang=$(readlink -f "$(command -v clang-19)")
	headers=$("$clang" -print-resource-dir)/include
	echo "== guest for queries"
	new_guest "$guest" tests/kernel/queries
	take_modules "$guest" "$work"/module-kmod/{ward_arena,ward}.ko
	take_programs "$guest" "$build/bin/ward" "$build/bin/ward-kernel-untouched" "$clang" "$build/lib/ward/ward-llvm"
	mv "$guest/bin/${clang##*/}" "$guest/bin/clang-19"
	mkdir -p "$guest"/lib/{ward,clang/19/include} "$guest/share/ward"
	mv "$guest/bin/ward-llvm" "$guest/lib/ward/"
	cp "$headers"/{std,__std}*.h "$guest/lib/clang/19/include/"
	cp -rL "$build/share/ward/include" "$guest/share/ward/"
	# Each example of the kernel has to be asked.
	mkdir "$guest/examples"
	grep -lE '^[^/]*(Syscall|kernel[!:])' examples/queries/*.wq | xargs -I{} cp {} "$guest/examples/"
	pack_guest "$guest" "$work/initramfs-queries"
	boot max "" "$work/initramfs-queries" 1536
}

# A bus and three machines in one guest; what credentials need is made here, as openssl is here.
boot_cluster() {
	local guest=$work/guest-cluster name key
	echo "== guest for the cluster"
	new_guest "$guest" tests/kernel/cluster
	take_modules "$guest" "$work"/module-kmod/{ward_arena,ward}.ko
	take_programs "$guest" "$build"/bin/{ward,ward-agent,ward-agent-link} /usr/sbin/nats-server
	for step in count:1 thousand:1000; do
		"$build/bin/ward" cc --profile kernel -DSTEP="${step#*:}" tests/cluster/probes/count.c -o \
			"$guest/probes/${step%:*}.ward"
	done
	mkdir "$guest/cluster"
	(
		cd "$guest/cluster"
		"$build/bin/ward" cluster init --server 127.0.0.1 --listen 127.0.0.1:4222 --dir "$guest/cluster/bus"
		for name in m1 m2 m3 m4; do
			"$build/bin/ward" cluster enrol --role agent --dir "$guest/cluster/bus" $name
		done
		"$build/bin/ward" cluster enrol --role coordinator --dir "$guest/cluster/bus" alice
	) >"$work/cluster.txt"
	sed -i "s|$guest||" "$guest/cluster/bus/server.conf"
	key=$(sed -n 's/^key = //p' "$work/cluster.txt")
	for name in m1 m2 m3 m4; do
		printf '%s\n' '[bus]' 'url = tls://127.0.0.1:4222' 'cluster = default' '[machine]' "name = $name" \
			'[coordinator alice]' "key = $key" 'may = kernel' 'sites = kernel!ksys_*' 'modules = any' \
			'[kernel]' 'allow = yes' '[limits]' 'cpu = 80%' \
			"memory = $([ $name = m4 ] && echo 1M || echo 256M)" \
			>"$guest/cluster/$name.conf"
		[[ $name = m[23] ]] || continue
		# A note of 20 bytes: the build-id of a kernel that is none.
		printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0%s' "" >"$guest/cluster/$name.notes"
		for ((i = 0; i < 20; i++)); do printf "\\x${name#m}${name#m}"; done >>"$guest/cluster/$name.notes"
	done
	pack_guest "$guest" "$work/initramfs-cluster"
	boot max "" "$work/initramfs-cluster" 768
}

if [[ ${2:-} != @(queries|cluster) ]]; then
	boot max,family=25,model=1 "${2:-}" "$work/initramfs" 512
	[ -n "${2:-}" ] || boot max exits "$work/initramfs" 512
fi
case ${2:-} in "" | queries) boot_queries ;; esac
case ${2:-} in "" | cluster) boot_cluster ;; esac
echo "$all_passed passed, $all_failed failed"
[ "$all_failed" = 0 ] && [ "$all_passed" -gt 0 ]
