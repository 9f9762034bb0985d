#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: built twice, in places that differ, to the same bytes; without a complaint of lintian's;
# installed one after the other in a minimal Debian 12, used there, and removed. Needs root and a network.
# Usage: debian.sh SOURCE BUILD
set -u
source=$1
. "$source/tests/packaging/chroot.sh"
chroot_begin check-packages "$2/debian"
passed=0 failed=0

ok() { # STATUS WHAT: the status first, for $? is that of a command in what is said before it
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $2"
	fi
}

# What git has of the tree, with what isn't committed yet.
copy_source() { # DIRECTORY
	mkdir -p "$1"
	(cd "$source" && git ls-files -z --cached --others --exclude-standard |
		tar --null --verbatim-files-from --ignore-failed-read -T - -cf - 2>/dev/null) | tar -C "$1" -xf -
}

# Build in a directory with that name, with settings of the environment. The packages come to stand beside it.
build() { # DIRECTORY SETTING...
	local dir=$1 log=$chroot_dir/build.log
	shift
	copy_source "$chroot_dir/maker$dir"
	chroot_run maker chown -R 1000:1000 "${dir%/*}"
	echo "Building in $dir"
	chroot_as_user maker env "$@" \
		sh -c 'umask "${UMASK:-022}" && cd "$1" && dpkg-buildpackage -us -uc' - "$dir" >"$log" 2>&1 ||
		chroot_fail dpkg-buildpackage "$(tail -n 1 "$log")" "see $log"
}

same_bytes() { # FIRST SECOND
	local package
	[ "$(cd "$1" && echo *.deb)" = "$(cd "$2" && echo *.deb)" ]
	ok $? "both builds make the same packages"
	for package in "$1"/*.deb "$1"/*.tar.xz; do
		cmp "$package" "$2/${package##*/}"
		ok $? "${package##*/} has the same bytes when it is built elsewhere"
	done
}

small() { # PACKAGE
	local size
	size=$(dpkg-deb --fsys-tarfile "$1" | tar -tv | awk '{ size += $3 } END { print size }')
	echo "ward: a package of $(stat -c %s "$1") bytes, $size bytes installed"
	[ "$size" -le $((3 << 20)) ]
	ok $? "the runtime has at most 3 MiB"
}

# A part is used by a script of ours in the new system, which counts as this one does.
use() { # PART PACKAGE...
	local part=$1 log=$chroot_dir/use.log counts
	shift
	echo "Installing and using: $*"
	chroot_install fresh "$@"
	chroot_run fresh bash /root/use.sh "$part" "$version" </dev/null >"$log" 2>&1
	counts=$(tail -n 1 "$log")
	if [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
		grep -A 5 '^FAIL' "$log"
	else
		failed=$((failed + 1))
		echo "FAIL: $part: it ended early"
		tail -n 20 "$log"
	fi
}

echo "Installing what packages are built with"
chroot_new maker
copy_source "$chroot_dir/maker/source"
chroot_install maker dpkg-dev lintian
chroot_run maker apt-get -q build-dep -y --no-install-recommends /source >"$chroot_dir/maker.log" 2>&1 ||
	chroot_fail build-dep "$(tail -n 1 "$chroot_dir/maker.log")" "see $chroot_dir/maker.log"
build /build/ward DEB_BUILD_OPTIONS=parallel="$(nproc)"
build /srv/another/place/that/has/a/longer/name/ward DEB_BUILD_OPTIONS=parallel="$(nproc)" \
	TZ=Asia/Kolkata LC_ALL=C HOME=/tmp UMASK=077
packages=$chroot_dir/maker/build
same_bytes "$packages" "$chroot_dir/maker/srv/another/place/that/has/a/longer/name"
complaints=$(chroot_as_user maker sh -c 'lintian --display-info --fail-on error,warning,info /build/*.changes' 2>&1)
ok $? "lintian: $complaints"
small "$packages"/ward_*.deb

# A module, from a compiler that the new system hasn't got.
chroot_install maker /build/ward_*.deb /build/ward-compiler_*.deb
chroot_run maker ward cc /source/probes/reads.c -o /reads.ward
ok $? "ward cc"
chroot_new fresh
mkdir "$chroot_dir/fresh/packages"
cp "$packages"/*.deb "$chroot_dir/fresh/packages"
cp "$chroot_dir/maker/reads.ward" "$source/tests/packaging/use.sh" "$chroot_dir/fresh/root"
version=$(dpkg-deb -f "$packages"/ward_*.deb Version)

use runtime "/packages/ward_*.deb" "/packages/libward1_*.deb"
use agent "/packages/ward-agent_*.deb"
use compiler "/packages/ward-compiler_*.deb"
use develop "/packages/libward-dev_*.deb" gcc libc6-dev pkg-config
use kernel "/packages/ward-dkms_*.deb" linux-headers-amd64
chroot_run fresh apt-get -q purge -y ward ward-agent ward-compiler libward1 libward-dev ward-dkms >"$chroot_dir/fresh.log" 2>&1
ok $? "removing: $(tail -n 3 "$chroot_dir/fresh.log")"
# Of what has such a name everything is another package's.
left=$(chroot_run fresh sh -c '
	find /etc /usr /var -name "*ward*" | while read -r file; do
		dpkg -S "$file" >/dev/null 2>&1 || echo "$file"
	done')
[ -z "$left" ]
ok $? "nothing is left: $left"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
