#!/bin/bash
# The kernel suite: build the kernel modules, boot Debian's kernel with them in a virtual machine, and run the tests there. Any fault of the kernel's ends the machine (oops=panic).
#
#	run.sh BUILD [PATTERN]
#
# With a regular expression (without blanks), of the tests only those whose names it matches.
#
# Counts only if the guest has said so and ended itself by its own word: a machine that panics, or hangs, has failed. The last line is "N passed, N failed".
set -eu -o pipefail

cd "$(dirname "$0")/../.."
build=$(readlink -f "$1")
work=$build/kernel
vm=$work/vm
fail() {
	echo "ward: check-kernel: $1: $2" >&2
	echo "hint: $3" >&2
	exit 1
}

[ "$(uname -m)" = x86_64 ] || fail machine "this is no x86-64" "Ward knows no other processors"
for program in "$build/bin/ward" "$build/bin/ward-kernel-suite"; do
	[ -x "$program" ] || fail "$program" "it isn't built" "run this as: make check-kernel"
done
tests/kernel/packages.sh "$vm"
root=$vm/root
release=$(cat "$vm/release")

echo "== modules for $release"
for folder in loader tests; do
	rm -rf "$work/module-$folder"
	cp -r "$folder/kernel/module" "$work/module-$folder"
	make -s -C "$root/usr/src/linux-headers-$release" M="$work/module-$folder" W=1 KCFLAGS=-Werror modules 2>&1 | grep -v 'BTF generation' || true
done
for module in loader/ward_arena loader/ward tests/ward_points; do
	[ -f "$work/module-$module.ko" ] || fail "${module#*/}.ko" "it could not be built" "see the messages above"
	strip -g "$work/module-$module.ko"
done

echo "== guest"
guest=$work/guest
rm -rf "$guest"
mkdir -p "$guest"/{bin,dev,proc,sys,tmp,lib64,modules,probes}
cp "$root/bin/busybox" "$guest/bin/"
cp tests/kernel/init "$guest/init"
cp "$work"/module-*/*.ko "$guest/modules/"
cp "$build/bin/ward" "$build/bin/ward-kernel-suite" "$guest/bin/"
ldd "$build/bin/ward" "$build/bin/ward-kernel-suite" | awk '$2 == "=>" { print $3 } $1 ~ /^\// && $1 !~ /:$/ { print $1 }' | sort -u | while read -r library; do
	mkdir -p "$guest$(dirname "$library")"
	cp -L "$library" "$guest$library"
done
for source in tests/kernel/probes/*.c probes/kernel/*.c probes/calls.c; do
	"$build/bin/ward" cc --profile kernel --btf "$vm/vmlinux.btf" "$source" -o "$guest/probes/$(basename "$source" .c).ward"
done
"$build/bin/ward" cc tests/kernel/probes/count.c -o "$guest/probes/user.ward"
libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu
(cd "$guest" && find . | LD_LIBRARY_PATH=$libraries "$(command -v cpio || echo "$root/bin/cpio")" --quiet -o -H newc) >"$work/initramfs"

echo "== boot"
status=0
# On a busy machine the guest's processors stand still at times: what the kernel would take for broken timers, clocks and processors is let pass. The limit on time is no criterion: it ends a machine that hangs.
# One host thread runs all of the guest's processors in turn. With a thread for each, QEMU 7.2 may translate a function while another processor changes it, and keep what it then saw: processors take the int3 of a change that is long over, for ever.
LD_LIBRARY_PATH=$libraries timeout 1800 "$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" -accel tcg,thread=single -cpu max -m 512 -smp "${WARD_KERNEL_CPUS:-2}" \
	-nodefaults -no-user-config -display none -serial stdio -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
	-kernel "$root/boot/vmlinuz-$release" -initrd "$work/initramfs" \
	-append "console=ttyS0 oops=panic panic=-1 panic_on_warn=1 no_timer_check tsc=reliable nowatchdog rcupdate.rcu_cpu_stall_suppress=1 quiet ${2:+WARD_ONLY=$2} ${WARD_KERNEL_APPEND:-}" </dev/null >"$work/console.log" 2>&1 || status=$?
sed -i 's/\r//g' "$work/console.log"
grep -a -v '^.\?\[2J' "$work/console.log" || true
read -r passed failed < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/console.log" | tail -n 1) || true
[ -n "${passed:-}" ] && grep -q '^ward: the guest is through$' "$work/console.log" ||
	fail guest "it ended before its tests did (status $status)" "its console is in $work/console.log"
[ "$status" = 33 ] || fail guest "it ended with status $status instead of 33" "its console is in $work/console.log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
