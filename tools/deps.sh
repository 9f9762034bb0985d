#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install the Debian packages that building and testing Ward needs, those that are missing only, after saying which.
set -eu

packages="
	clang-19 clang-format-19 libclang-rt-19-dev llvm-19-dev lld-19
	libzydis-dev libcapstone-dev libelf-dev libdw-dev libbz2-dev libiberty-dev libjson-c-dev libcriterion-dev libz3-dev
	zlib1g-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler libsodium-dev libnats-dev
	gcc g++ clang-14 rustc golang-go libc6-dev libunwind8 binutils cmake ninja-build pkg-config
	sqlite3 jq procps wabt gdb bsdutils groff-base babeltrace2 xz-utils
	git valgrind python3 python3-greenlet libboost-context-dev nodejs nginx redis-tools postgresql curl musl-tools
	chromium prometheus nats-server minisign openssl iproute2
"

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

command -v dpkg-query >/dev/null || {
	echo "ward: deps: this is no Debian system" >&2
	echo "hint: install the counterparts of these packages yourself, then run cmake:" $packages >&2
	exit 2
}

missing=
for package in $packages; do
	installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || {
		echo "ward: deps: missing packages:$missing" >&2
		echo "hint: run this as root: apt-get install$missing" >&2
		exit 2
	}
	as_root=sudo
fi
echo "Installing these Debian packages, which Ward is built and tested with:$missing"

# Servers are there for tests, which start them themselves: those that come with a package now are neither started nor
# started with the machine.
policy=/usr/sbin/policy-rc.d
guard() {
	[ -e $policy ] && return
	printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
	$as_root chmod 755 $policy
	trap '$as_root rm -f $policy' EXIT
	trap 'exit 1' HUP INT TERM
}
keep_off() {
	for service in nginx postgresql nats-server; do
		case " $missing " in
		*" $service "*) $as_root update-rc.d "$service" disable >/dev/null 2>&1 || true ;;
		esac
	done
}

install() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}

# Old package lists name files that are gone: fetch new ones and try once more.
$as_root apt-get install -s $missing >/dev/null 2>&1 || $as_root apt-get update
guard
install || { $as_root apt-get update && install; }
keep_off
