# SPDX-License-Identifier: Apache-2.0
# Debian 12 in a directory, to be sourced by a test that runs as root. What runs there has mounts and processes of its
# own: they are gone when it ends, however it ends. Only the directories are left to remove: chroot_end.
#
#	chroot_begin NAME DIR	errors are called ward: NAME; all is put below DIR
#	chroot_new ROOT		a new one, DIR/ROOT, as debootstrap makes it, with the machine's archives
#	chroot_run ROOT COMMAND...
#	chroot_exec ROOT COMMAND... &	the same in the background
#	chroot_as_user ROOT COMMAND...	without any right, and without a network
#	chroot_install ROOT PACKAGE...	packages of Debian, or patterns of files as they are called there
#	chroot_end		removes them; DIR/base.tar stays, of which the next ones are made
set -o pipefail

chroot_release=bookworm
chroot_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

chroot_fail() { # WHAT WHY HINT
	echo "ward: $chroot_name: $1: $2" >&2
	echo "hint: $3" >&2
	exit 2
}

chroot_begin() {
	chroot_name=$1 chroot_dir=$2 chroot_roots=
	[ "$(id -u)" = 0 ] || chroot_fail debootstrap "needs root" "run it as root"
	command -v apt-get >/dev/null && command -v unshare >/dev/null ||
		chroot_fail apt-get "this is no Debian system" "run it on Debian"
	mkdir -p "$chroot_dir" && chroot_dir=$(realpath "$chroot_dir") || exit 2
	trap chroot_end EXIT
	trap 'exit 130' INT
	trap 'exit 143' HUP TERM
	exec 8>"$chroot_dir/lock" && flock 8 || exit 2
	[ -s "$chroot_dir/base.tar" ] || chroot_bootstrap
	exec 8>&-
}

chroot_end() {
	local root job
	# unshare ends for no other signal. Its child dies with it, and all that that one started.
	for job in $(jobs -p); do
		kill -KILL "$job" 2>/dev/null
		wait "$job" 2>/dev/null
	done
	for root in $chroot_roots; do
		rm -rf --one-file-system "${chroot_dir:?}/$root"
	done
	chroot_roots=
}

# The archives that this machine's apt has, with Debian's release and the section main: "URI SUITE" a line.
chroot_archives() {
	apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CODENAME) $(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' |
		awk -v release=$chroot_release '
			$1 == "Debian" && $2 == "main" && ($3 == release || index($3, release "-") == 1) { print $4, $5 }
		' | sort -u
}

# debootstrap is fetched, and installed nowhere.
chroot_bootstrap() {
	local tool=$chroot_dir/debootstrap base=$chroot_dir/base mirror proxy=
	chroot_roots="base debootstrap"
	[ -n "$(chroot_archives)" ] || apt-get update >/dev/null
	mirror=$(chroot_archives | awk -v release=$chroot_release '$2 == release { print $1; exit }')
	[ -n "$mirror" ] ||
		chroot_fail apt "knows no archive of Debian 12 ($chroot_release)" \
		"add one to its sources, with the section main"
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	rm -rf "$tool" "$base"
	mkdir -p "$tool"
	(cd "$tool" && apt-get download debootstrap >log 2>&1 && dpkg-deb -x debootstrap_*.deb .) ||
		chroot_fail debootstrap "can't be fetched: $(tail -n 1 "$tool/log")" \
		"run apt-get update; is there a network?"
	echo "Making a minimal Debian 12 below $chroot_dir from $mirror"
	env ${proxy:+"http_proxy=$proxy"} DEBOOTSTRAP_DIR="$tool/usr/share/debootstrap" \
		unshare --mount --pid --fork --kill-child --mount-proc \
		"$tool/usr/sbin/debootstrap" --variant=minbase $chroot_release "$base" "$mirror" \
		>"$chroot_dir/debootstrap.log" 2>&1 &
	wait $! && chroot_sources "$base" && tar -C "$base" -cf "$chroot_dir/base.tar.new" . &&
		mv "$chroot_dir/base.tar.new" "$chroot_dir/base.tar" ||
		chroot_fail debootstrap "$(tail -n 1 "$chroot_dir/debootstrap.log")" "see $chroot_dir/debootstrap.log"
	chroot_end
}

# What apt is told on this machine of archives and how to reach them. Packages start no services.
chroot_sources() { # ROOT'S DIRECTORY
	chroot_archives | sed 's/.*/deb & main/' >"$1/etc/apt/sources.list"
	apt-config dump | grep '^Acquire::https\?::' >"$1/etc/apt/apt.conf.d/90machine"
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d" && chmod 755 "$1/usr/sbin/policy-rc.d"
}

chroot_new() {
	local root=$chroot_dir/$1
	chroot_roots="$chroot_roots $1"
	rm -rf --one-file-system "$root"
	mkdir -p "$root" && tar -C "$root" -xf "$chroot_dir/base.tar" &&
		cp -L /etc/resolv.conf "$root/etc/resolv.conf" ||
		chroot_fail "$root" "can't be made" "is the disk full?"
	echo "127.0.0.1 localhost $(uname -n)" >"$root/etc/hosts"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/thrown-away" # nothing of it needs to survive a power cut
	chroot_run "$1" apt-get -q update >"$chroot_dir/$1.log" 2>&1 ||
		chroot_fail apt-get "$(tail -n 1 "$chroot_dir/$1.log")" "is there a network?"
}

chroot_exec() {
	local root=$chroot_dir/$1
	shift
	exec unshare --mount --pid --fork --kill-child --root="$root" --wd=/ --mount-proc \
		env -i PATH=$chroot_path HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# In the background and waited for, so that an interrupt ends it at once.
chroot_run() {
	chroot_exec "$@" <&0 &
	wait $!
}

chroot_as_user() {
	local root=$1
	shift
	chroot_run "$root" unshare --net setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/nonexistent "$@"
}

chroot_install() {
	local root=$1
	shift
	chroot_run "$root" sh -c "apt-get -q install -y --no-install-recommends $*" >"$chroot_dir/$root.log" 2>&1 ||
		chroot_fail apt-get "$(tail -n 3 "$chroot_dir/$root.log" | tr '\n' ' ')" "see $chroot_dir/$root.log"
}
