#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench/kernel/run.sh BUILD [tools|samples|stacks]: instructions that probes of the kernel add to an event, beside
# bpftrace's programs that do the same, to a sample, and to what the tools look at; or the tools, samples or stacks
# alone.
#
# Counted in a virtual machine with Debian's kernel, one processor and a clock that goes on by a nanosecond each
# instruction; what an instruction takes is not counted, so traps look cheaper than they are. bpftrace is Debian's,
# unpacked beside
# the emulator and installed nowhere; without it, its columns are empty. WARD_KERNEL_PROCESSOR is what the emulator is
# to be, as "max,family=25,model=1" (a Zen 3, on which the kernel returns by thunks).
set -eu -o pipefail
cd "$(dirname "$0")/../.."
build=$(readlink -f "$1")
part=bench
. tests/kernel/guest.sh
[ "$(uname -m)" = x86_64 ] || fail machine "this is no x86-64" "Ward knows no other processors"
for program in "$build/bin/ward" "$build/bin/ward-bench-kernel"; do
	[ -x "$program" ] || fail "$program" "it isn't built" "run this as: make bench-kernel"
done
take_packages >&2
build_modules bench-module kmod
build_modules bench-tests tests/kernel/module kmod/compat.h

# Debian's, with the libraries that this system lacks.
fetch_bpftrace() {
	local packages
	[ ! -x "$vm/bpftrace/usr/bin/bpftrace" ] || return 0
	packages=$(apt-get install --simulate --no-install-recommends --reinstall bpftrace 2>/dev/null |
		awk '$1 == "Inst" { print $2 }')
	[ -n "$packages" ] || return 1
	rm -rf "$vm/bpftrace"
	mkdir -p "$vm/bpftrace/packages"
	(cd "$vm/bpftrace/packages" && apt-get download $packages) >"$vm/bpftrace/download.log" 2>&1 || return 1
	for package in "$vm"/bpftrace/packages/*.deb; do
		dpkg-deb -x "$package" "$vm/bpftrace" || return 1
	done
	rm -rf "$vm/bpftrace/packages"
}

guest=$work/bench-guest
new_guest "$guest" bench/kernel/init
take_modules "$guest" "$work"/bench-{module/ward_arena,module/ward,tests/ward_points}.ko
take_programs "$guest" "$build/bin/ward-bench-kernel"
if fetch_bpftrace; then
	more_libraries=$vm/bpftrace/usr/lib/x86_64-linux-gnu
	take_programs "$guest" "$vm/bpftrace/usr/bin/bpftrace"
	# It runs programs of the shell's while it reads one of its own from a file.
	ln -s busybox "$guest/bin/sh"
	# Where those lie that aren't the system's the guest's loader doesn't look.
	mkdir -p "$guest/lib64/more"
	[ ! -d "$guest$more_libraries" ] || mv "$guest$more_libraries"/* "$guest/lib64/more/"
else
	echo "ward: bench: bpftrace can't be had: its columns are empty" >&2
fi
for source in bench/kernel/probes/*.c; do
	"$build/bin/ward" cc --profile kernel --btf "$kernel/vmlinux.btf" "$source" -o \
		"$guest/probes/$(basename "$source" .c).ward"
done
for length in 1 8 64 1024; do
	"$build/bin/ward" cc --profile kernel -DREAD=ward_kernel_read -DLENGTH=$length bench/kernel/imports/read.c \
		-o "$guest/probes/bytes-$length.ward"
	"$build/bin/ward" cc --profile kernel -DREAD=ward_kernel_read_str -DLENGTH=$length \
		bench/kernel/imports/read.c -o "$guest/probes/string-$length.ward"
	"$build/bin/ward" cc --profile kernel -DLENGTH=$length bench/kernel/imports/current.c -o \
		"$guest/probes/current-$length.ward"
done
"$build/bin/ward" cc --profile kernel bench/kernel/imports/frames.c -o "$guest/probes/frames.ward"
"$build/bin/ward" cc --profile kernel bench/kernel/imports/userframes.c -o "$guest/probes/userframes.ward"
for source in probes/tools/kernel/*.c; do
	"$build/bin/ward" cc --profile kernel --btf "$kernel/vmlinux.btf" "$source" -o \
		"$guest/probes/tool-$(basename "$source" .c).ward"
done
for source in probes/kernel/{biolatency,runqlat,opens}.c; do
	"$build/bin/ward" cc --profile kernel --btf "$kernel/vmlinux.btf" "$source" -o \
		"$guest/probes/$(basename "$source" .c).ward"
done
# bpftrace's own tools; the guest has no headers, from which they take three numbers.
for script in "$vm"/bpftrace/usr/sbin/*.bt; do
	[ ! -f "$script" ] || sed -e '1i#define AF_INET 2\n#define AF_INET6 10\n#define TASK_RUNNING 0' -e '/^#include/d' \
		"$script" >"$guest/probes/${script##*/}"
done
cp "$kernel/loop.ko" "$guest/modules/"
pack_guest "$guest" "$work/bench-initramfs"
status=0
boot_guest "$work/bench-initramfs" "$work/bench-console.log" "${2:+WARD_PART=$2}" -m 2048 -smp 1 \
	-cpu "${WARD_KERNEL_PROCESSOR:-max}" -icount shift=0,sleep=off || status=$?
[ "$status" = 33 ] && grep -q '^ward: the guest is through$' "$work/bench-console.log" ||
	fail guest "it ended before it was through (status $status)" "its console is in $work/bench-console.log"
sed -n '/^\(A call of\|A loop of\|Instructions that\|Frames of\)/,/^ward: the guest/{/^ward: the guest/!p}' \
	"$work/bench-console.log"
