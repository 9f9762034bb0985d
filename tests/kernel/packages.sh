#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unpack what a virtual machine with Debian's kernel needs into a folder of our own: nothing is installed.
#
#	packages.sh DIR
#
# DIR/vmlinux.btf gets the kernel's types, as it tells of them when it runs, and DIR/loop those of the only module of
# its that is kept.
# DIR/root gets the files of the packages: an emulator with the libraries that this system lacks, a shell and cpio for
# the guest's files, the kernel, and what its modules are built and checked with.
# DIR/release gets the kernel's name. A second call finds all that there, unless Debian has a newer kernel by now and
# the package lists know.
set -eu -o pipefail

dir=$1
fail() {
	echo "ward: check-kernel: $1: $2" >&2
	echo "hint: $3" >&2
	exit 1
}

command -v apt-get >/dev/null || fail packages "this is no Debian system" \
	"the kernel suite runs Debian's kernel in a virtual machine"

# What a package depends on, one name a line.
depends() { apt-cache depends --important "$1" | sed -n 's/^ *Depends: \([^<].*\)/\1/p'; }

kernel_package() { depends linux-image-amd64 | grep '^linux-image-[0-9]' | head -n 1; }

kernel=$(kernel_package || true)
if [ -z "$kernel" ]; then
	apt-get update >/dev/null 2>&1 || true
	kernel=$(kernel_package || true)
fi
[ -n "$kernel" ] || fail packages "the package lists know no kernel" \
	"run apt-get update as root, with Debian's main section among the sources"
release=${kernel#linux-image-}

module=$dir/root/lib/modules/$release/kernel/drivers/block/loop.ko

# The boot image has the kernel's own file in it, compressed.
take_types() {
	local image=$dir/root/boot/vmlinuz-$release at
	at=$(LC_ALL=C grep -obUaP -m1 '\xfd7zXZ\x00' "$image" | cut -d: -f1 | head -n 1)
	tail -c "+$((${at:-0} + 1))" "$image" | xz -dc >"$dir/vmlinux" 2>/dev/null ||
		true # what is behind it is no part of it
	objcopy --dump-section ".BTF=$dir/vmlinux.btf" "$dir/vmlinux" /dev/null 2>/dev/null ||
		fail packages "$image has no types (BTF) in it" "is it compressed in another way than by xz?"
	rm "$dir/vmlinux"
	objcopy --dump-section ".BTF=$dir/loop" "$module" /dev/null 2>/dev/null ||
		fail packages "$module has no types (BTF) in it" \
		"its kernel must be built with CONFIG_DEBUG_INFO_BTF_MODULES"
}
if [ "$(cat "$dir/release" 2>/dev/null)" = "$release" ] && [ -x "$dir/root/usr/bin/sparse" ] && [ -s "$module" ]; then
	[ -s "$dir/vmlinux.btf" ] && [ -s "$dir/loop" ] || take_types
	exit 0
fi

headers="linux-headers-$release "
headers+=$(depends "linux-headers-$release" | grep -E '^linux-(headers|kbuild|compiler)' | tr '\n' ' ')
# Those of the emulator's libraries that aren't installed, of the system's own choice.
tools=$(apt-get install --simulate --no-install-recommends --reinstall qemu-system-x86 seabios busybox-static cpio \
	2>/dev/null | awk '$1 == "Inst" { print $2 }' | tr '\n' ' ')
[ -n "$tools" ] || fail packages "the emulator's packages can't be had" "run apt-get update as root"

rm -rf "$dir"
mkdir -p "$dir/packages" "$dir/root"
tools+=sparse # of its package the program alone, which needs nothing else
echo "Fetching into $dir, to be installed nowhere: $kernel $headers$tools"
(cd "$dir/packages" && apt-get download "$kernel" $headers $tools) >"$dir/download.log" 2>&1 ||
	{ (apt-get update && cd "$dir/packages" &&
	apt-get download "$kernel" $headers $tools) >>"$dir/download.log" 2>&1; } ||
	{ cat "$dir/download.log" >&2; fail packages "they can't be fetched" "is there a network?"; }
for package in "$dir"/packages/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x -C "$dir/root" --exclude='./usr/share/doc' \
		--exclude='./usr/share/man' --exclude='./lib/modules/*/kernel'
done
dpkg-deb --fsys-tarfile "$dir/packages/$kernel"_*.deb | tar -x -C "$dir/root" "./${module#"$dir/root/"}" ||
	fail packages "$kernel has no module ${module##*/}" "has it got another name, or another place?"
rm -rf "$dir/packages"
# The headers name the system's folder of sources.
sed -i "s#^include /usr/src/#include $dir/root/usr/src/#" "$dir/root/usr/src/linux-headers-$release/Makefile"
take_types
echo "$release" >"$dir/release"
