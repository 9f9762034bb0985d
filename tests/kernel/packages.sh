#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unpack what a virtual machine with one of Debian's kernels needs into a folder of our own: nothing is installed.
#
#	packages.sh DIR [SUITE]
#
# DIR/root gets an emulator with the libraries that this system lacks, a shell and cpio for the guest's files, and
# what modules are checked with.
# The kernel is that of this system's release, or of another suite of Debian's, as "bookworm-backports". It goes to
# DIR/SUITE, that of this system to DIR/own:
#
#	release		its name
#	vmlinuz		what is booted
#	vmlinux.btf	its types, as it tells of them when it runs
#	loop, loop.ko	the types of the only module of its that is kept, and that module
#	root		what its modules are built with
#	compiler, bin	the compiler for these, if this system hasn't got it
#
# A second call finds all that there, unless Debian has a newer kernel by now and the package lists know. Status 3:
# that suite can't be reached.
set -eu -o pipefail

dir=$(mkdir -p "$1" && readlink -f "$1")
suite=${2:-}
kernel=$dir/${suite:-own}
fail() {
	echo "ward: check-kernel: $1: $2" >&2
	echo "hint: $3" >&2
	exit "${4:-1}"
}

command -v apt-get >/dev/null || fail packages "this is no Debian system" \
	"the kernel suite runs Debian's kernels in a virtual machine"

# ---- Package lists ----

# Those of a suite that the system doesn't follow are our own: the system's aren't touched.
foreign_lists() {
	local key=/usr/share/keyrings/debian-archive-keyring.gpg mirror release_of=
	[ "${suite%-backports}" = "$suite" ] || release_of=${suite%-backports}
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
		'Component: main' | sed -n 1p)
	[ -n "$mirror" ] || fail "$suite" "the package lists know no mirror of Debian's" "run apt-get update as root"
	mkdir -p "$kernel/apt"/{lists,cache/archives}/partial
	[ -f "$key" ] && key="[signed-by=$key] " || key=
	# A suite of backports is for another one, which has the rest.
	printf "deb $key$mirror %s main\n" "$suite" ${release_of:+"$release_of"} >"$kernel/apt/sources.list"
	cat >"$kernel/apt/apt.conf" <<END
APT::Default-Release "$suite";
APT::Sandbox::User "root";
Dir::Etc::sourcelist "$kernel/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$kernel/apt/lists";
Dir::Cache "$kernel/apt/cache";
END
	export APT_CONFIG=$kernel/apt/apt.conf
	[ -z "$(find "$kernel/apt/read" -mtime -1 2>/dev/null)" ] || return 0
	apt-get update -o APT::Update::Error-Mode=any >"$kernel/apt/update.log" 2>&1 ||
		fail "$suite" "its package lists can't be read: $(tail -n 1 "$kernel/apt/update.log")" \
			"is there a network?" 3
	touch "$kernel/apt/read"
}

# What a package depends on, one name a line.
depends() { apt-cache depends --important "$1" | sed -n 's/^ *Depends: \([^<].*\)/\1/p'; }

kernel_package() { depends linux-image-amd64 | grep '^linux-image-[0-9]' | head -n 1; }

# Of the list into the folder.
fetch() { # folder, package...
	local to=$1
	shift
	mkdir -p "$to"
	(cd "$to" && apt-get download "$@") >"$to.log" 2>&1 ||
		{ (apt-get update && cd "$to" && apt-get download "$@") >>"$to.log" 2>&1; } ||
		{ cat "$to.log" >&2; fail packages "they can't be fetched" "is there a network?"; }
}

# Their files, but for what only people read and the kernel's own modules. What a newer Debian has below /usr is there
# with both names.
unpack() { # folder with packages, root
	local package
	mkdir -p "$2"
	for package in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$2" --keep-directory-symlink \
			--exclude='./usr/share/doc' --exclude='./usr/share/man' \
			--exclude='./lib/modules/*/kernel' --exclude='./usr/lib/modules/*/kernel'
	done
}

# ---- The emulator ----

# Of the emulator's libraries those that aren't installed, of the system's own choice.
take_tools() {
	local tools
	[ ! -x "$dir/root/usr/bin/sparse" ] || [ ! -s "$dir/tools" ] || return 0
	tools=$(apt-get install --simulate --no-install-recommends --reinstall qemu-system-x86 seabios busybox-static \
		cpio 2>/dev/null | awk '$1 == "Inst" { print $2 }' | tr '\n' ' ')
	[ -n "$tools" ] || fail packages "the emulator's packages can't be had" "run apt-get update as root"
	tools+=sparse # of its package the program alone, which needs nothing else
	rm -rf "$dir/root"
	echo "Fetching into $dir, to be installed nowhere: $tools"
	fetch "$dir/packages" $tools
	unpack "$dir/packages" "$dir/root"
	rm -rf "$dir/packages"
	echo "$tools" >"$dir/tools"
}

# ---- The kernel ----

# One file of a package, also if it is compressed there.
take_file() { # package, path in lib/modules/RELEASE, file
	local path
	path=$(dpkg-deb --fsys-tarfile "$1" | tar -t | grep -F "/lib/modules/$release/$2" | sed -n 1p) &&
		[ -n "$path" ] ||
		return 1
	dpkg-deb --fsys-tarfile "$1" | tar -x -O "$path" | case $path in
	*.xz) xz -dc ;;
	*.zst) zstd -dcq ;;
	*) cat ;;
	esac >"$3"
}

# The boot image has the kernel's own file in it, compressed.
take_types() {
	local way magic at
	rm -f "$kernel/vmlinux"
	for way in 'xz:\xfd7zXZ\x00' 'zstd:\x28\xb5\x2f\xfd'; do
		magic=${way#*:}
		while read -r at; do
			tail -c "+$((at + 1))" "$kernel/vmlinuz" | ${way%%:*} -dcq >"$kernel/vmlinux" 2>/dev/null ||
				true # what is behind it is no part of it
			objcopy --dump-section ".BTF=$kernel/vmlinux.btf" "$kernel/vmlinux" /dev/null 2>/dev/null &&
				break 2
		done < <(LC_ALL=C grep -obUaP "$magic" "$kernel/vmlinuz" | cut -d: -f1)
	done
	rm -f "$kernel/vmlinux"
	[ -s "$kernel/vmlinux.btf" ] || fail packages "$kernel/vmlinuz has no types (BTF) in it" \
		"is it compressed in another way than by xz or zstd?"
	objcopy --dump-section ".BTF=$kernel/loop" "$kernel/loop.ko" /dev/null 2>/dev/null ||
		fail packages "$kernel/loop.ko has no types (BTF) in it" \
			"its kernel must be built with CONFIG_DEBUG_INFO_BTF_MODULES"
}

# Headers name the system's folder of sources. And they have the kernel's types, from which those of a module would be
# made, by another program.
mend_headers() {
	local headers=$kernel/root/usr/src/linux-headers-$release
	sed -i -E "s#^(include |KBUILD_OUTPUT=)/usr/src/#\1$kernel/root/usr/src/#" "$headers/Makefile"
	rm -f "$headers/vmlinux"
}

# Programs of a newer Debian run with the libraries that they came with.
wrap_program() { # file, script in its place
	local there=$kernel/compiler program=$1
	if [ "$1" = "$2" ]; then
		program=$1.elf
		mv "$1" "$program"
	fi
	printf '%s\n' '#!/bin/sh' "exec $there/lib64/ld-linux-x86-64.so.2 --library-path \\" \
		"$there/usr/lib/x86_64-linux-gnu --argv0 $1 $program \"\$@\"" >"$2"
	chmod 755 "$2"
}

# A kernel's modules are built with the compiler that it was built with. If this system hasn't got that one, it comes
# with the suite, as what else the headers bring that is compiled.
take_compiler() {
	local compiler packages file
	compiler=$(sed -n 's/^CC = .*\(gcc-[0-9]*\)$/\1/p' \
		"$kernel/root/usr/src/linux-headers-$release/.kernelvariables")
	! command -v "x86_64-linux-gnu-$compiler" >/dev/null || return 0
	packages=$(apt-get install --simulate -o Dir::State::status=/dev/null --no-install-recommends \
		"$compiler-x86-64-linux-gnu" $(echo "$1" | tr ' ' '\n' | grep '^linux-kbuild') 2>/dev/null |
		awk '$1 == "Inst" && $2 !~ /^(linux|binutils|lib.*san)/ { print $2 }' | tr '\n' ' ')
	[ -n "$packages" ] || fail packages "this kernel's compiler, $compiler, can't be had" "run apt-get update"
	echo "Fetching into $kernel, to be installed nowhere: $packages"
	fetch "$kernel/packages-compiler" $packages
	mkdir -p "$kernel/compiler"/usr/{bin,lib,lib64} "$kernel/bin"
	ln -s usr/lib "$kernel/compiler/lib"
	ln -s usr/lib64 "$kernel/compiler/lib64"
	unpack "$kernel/packages-compiler" "$kernel/compiler"
	rm -rf "$kernel/packages-compiler"
	while read -r file; do
		wrap_program "$file" "$file"
	done < <(find "$kernel"/root/usr/lib/linux-kbuild-* "$kernel"/compiler/usr/libexec/gcc -type f -perm -100 \
		! -name '*.so*' -exec sh -c 'head -c 4 "$1" | grep -q ELF' - {} \; -print)
	file=$kernel/compiler/usr/bin/x86_64-linux-gnu-$compiler
	wrap_program "$file" "$kernel/bin/${file##*/}"
}

take_kernel() {
	local packages package
	packages=$({ echo "$image" "linux-headers-$release"; depends "$image"; depends "linux-headers-$release"; } |
		tr ' ' '\n' | grep -E '^linux-(image|binary|modules|headers|kbuild|compiler)-' | grep -v unsigned |
		sort -u | tr '\n' ' ')
	echo "Fetching into $kernel, to be installed nowhere: $packages"
	rm -rf "$kernel"/{packages,root,compiler,bin,release,loop*,vmlinu*}
	fetch "$kernel/packages" $packages
	mkdir -p "$kernel/root/usr/lib"
	ln -s usr/lib "$kernel/root/lib"
	unpack "$kernel/packages" "$kernel/root"
	for package in "$kernel/packages"/linux-{image,modules}-"$release"_*.deb; do
		[ ! -f "$package" ] || ! take_file "$package" kernel/drivers/block/loop.ko "$kernel/loop.ko" || break
	done
	[ -s "$kernel/loop.ko" ] || fail packages "$image has no module loop.ko" "has it got another name, or place?"
	mv "$kernel/root/boot/vmlinuz-$release" "$kernel/vmlinuz" 2>/dev/null ||
		mv "$kernel/root/lib/modules/$release/vmlinuz" "$kernel/vmlinuz"
	rm -rf "$kernel/packages"
	mend_headers
	take_compiler "$packages"
	take_types
	echo "$release" >"$kernel/release"
}

take_tools
mkdir -p "$kernel"
[ -z "$suite" ] || foreign_lists
image=$(kernel_package || true)
if [ -z "$image" ]; then
	apt-get update >/dev/null 2>&1 || true
	image=$(kernel_package || true)
fi
[ -n "$image" ] || fail packages "the package lists know no kernel" \
	"run apt-get update as root, with Debian's main section among the sources"
release=${image#linux-image-}
[ "$(cat "$kernel/release" 2>/dev/null)" = "$release" ] || take_kernel
