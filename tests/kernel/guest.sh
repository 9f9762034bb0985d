# SPDX-License-Identifier: Apache-2.0
# What virtual machines with one of Debian's kernels and Ward's modules are made of; sourced in the repository's root
# with $part (whose errors they are) and $build set. WARD_KERNEL is the suite of Debian's that the kernel is of, as
# "bookworm-backports"; without it, it is this system's.
# $vm, $root, $kernel and $libraries are where packages.sh has put things; $work is a folder for all that is made.
work=$build/kernel
vm=$work/vm
root=$vm/root
kernel=$vm/${WARD_KERNEL:-own}
[ -z "${WARD_KERNEL:-}" ] || work=$work/$WARD_KERNEL
libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu

fail() {
	echo "ward: $part: $1: $2" >&2
	echo "hint: $3" >&2
	exit 1
}

# The programs and the kernel, the name of which is in $release then.
take_packages() {
	mkdir -p "$work"
	tests/kernel/packages.sh "$vm" ${WARD_KERNEL:-}
	release=$(cat "$kernel/release")
}

# The modules of a folder, built in $work/NAME. The kernel's own checker reads them, too: what it says is an error.
build_modules() { # name, folder, header...
	rm -rf "$work/$1"
	cp -r "$2" "$work/$1"
	local header
	for header in "${@:3}"; do cp "$header" "$work/$1/"; done
	local check=(C=2 CHECK="$root/usr/bin/sparse -Wsparse-error")
	# Debian's headers of newer kernels lack a script without which make takes no checker.
	! grep -q checker-valid "$kernel"/root/usr/src/linux-headers-*-common/Makefile || check=()
	PATH=$kernel/bin:$PATH make -s -C "$kernel/root/usr/src/linux-headers-$release" M="$work/$1" W=1 \
		KCFLAGS=-Werror "${check[@]}" modules 2>&1 |
		grep -v -E 'BTF generation|pahole|kernel was built with|You are using' || true
}

# They must be there; in the guest they have no debug information.
take_modules() { # guest, module...
	local guest=$1 module
	shift
	for module in "$@"; do
		[ -f "$module" ] || fail "${module##*/}" "it could not be built" "see the messages above"
		strip -g "$module"
		cp "$module" "$guest/modules/"
	done
}

new_guest() { # guest, init
	rm -rf "$1"
	mkdir -p "$1"/{bin,dev,proc,sys,tmp,lib64,modules,probes}
	cp "$root/bin/busybox" "$1/bin/"
	install -m 755 "$2" "$1/init"
}

# Programs, with the libraries that they are linked to.
take_programs() { # guest, program...
	local guest=$1 library
	shift
	cp "$@" "$guest/bin/"
	LD_LIBRARY_PATH=${more_libraries:-} ldd "$@" |
		awk '$2 == "=>" { print $3 } $1 ~ /^\// && $1 !~ /:$/ { print $1 }' | sort -u |
		while read -r library; do
		mkdir -p "$guest/lib64"
		case $library in
			/lib64/*) cp -L "$library" "$guest$library" ;;
			*) mkdir -p "$guest$(dirname "$library")" && cp -L "$library" "$guest$library" ;;
		esac
	done
}

pack_guest() { # guest, file
	(cd "$1" && find . | LD_LIBRARY_PATH=$libraries "$(command -v cpio || echo "$root/bin/cpio")" --quiet -o -H \
		newc) >"$2"
}

# Its console goes to a file; the exit status is the emulator's.
#
# On a busy machine the guest's processors stand still at times: what the kernel would take for broken timers, clocks
# and processors is let pass. The limit on time is no criterion: it ends a machine that hangs.
# One host thread runs all of the guest's processors in turn. With a thread for each, QEMU 7.2 may translate a
# function while another processor changes it, and keep what it then saw: processors take the int3 of a change that is
# long over, for ever.
boot_guest() { # initramfs, console, kernel's arguments, emulator's arguments...
	local initramfs=$1 console=$2 arguments=$3 status=0
	local words="console=ttyS0 oops=panic panic=-1 panic_on_warn=1 no_timer_check tsc=reliable nowatchdog"
	words+=" rcupdate.rcu_cpu_stall_suppress=1"
	shift 3
	LD_LIBRARY_PATH=$libraries timeout "${WARD_KERNEL_SECONDS:-1800}" "$root/usr/bin/qemu-system-x86_64" -L \
		"$root/usr/share/qemu" -L "$root/usr/share/seabios" -accel tcg,thread=single -cpu max \
		-nodefaults -no-user-config -display none -serial stdio -no-reboot -device \
		isa-debug-exit,iobase=0xf4,iosize=0x04 "$@" \
		-kernel "$kernel/vmlinuz" -initrd "$initramfs" \
		-append "$words quiet $arguments" </dev/null >"$console" 2>&1 || status=$?
	sed -i 's/\r//g' "$console"
	return "$status"
}
