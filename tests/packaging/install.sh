#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `make install` into an empty directory, as a package is made, and everything used from there alone: the compiler
# with the installed headers, a program built through pkg-config with
# the shared library and with the static one, on itself and on another process; then `make uninstall`.
# Usage: install.sh SOURCE BUILD CC SANITIZED
set -u
source=$1 build=$2 cc=$3 sanitized=$4
tmp=$(mktemp -d) || exit 2
reader= feeder=
trap '[ -z "$reader" ] || kill $feeder $reader; rm -rf "$tmp"' EXIT
passed=0 failed=0 root=$tmp/root
prefix=$root/opt/ward

ok() { # STATUS WHAT: the status first, for $? is that of a command in what is said before it
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $2"
	fi
}

sanitizers=
[ "$sanitized" != ON ] || sanitizers=-fsanitize=address,undefined

# The list of files stays in the build's own directory: keep one that is there.
cp "$build/install_manifest.txt" "$tmp/kept" 2>/dev/null
DESTDIR=$root cmake --install "$build" --prefix /opt/ward >"$tmp/log" 2>&1
ok $? "install: $(tail -3 "$tmp/log")"
mv "$build/install_manifest.txt" "$tmp/manifest"
[ ! -e "$tmp/kept" ] || mv "$tmp/kept" "$build/install_manifest.txt"

for file in bin/ward bin/ward-verify lib/ward/ward-llvm lib/libward.so.1 lib/libward.a lib/libward1/ward-helper \
	lib/libward-verify.so.1 lib/libward-verify.a lib/pkgconfig/ward.pc \
	lib/pkgconfig/ward-verify.pc include/ward/ward.h include/ward/partial.h include/ward/types.h include/ward/verify.h share/ward/include/ward/probe.h \
	share/man/man1/ward.1 share/man/man1/ward-trace.1 share/man/man8/ward-agent.8 share/man/man5/ward-agent.conf.5 \
	bin/ward-agent libexec/ward/ward-agent-link share/doc/ward/examples/agent.conf lib/sysusers.d/ward-agent.conf \
	share/man/man1/ward-verify.1 share/bash-completion/completions/ward share/doc/ward/README.md \
	share/doc/ward/examples/reads.c share/doc/ward/docs/author/dialect.md share/doc/ward/spec/policy.md; do
	[ -s "$prefix/$file" ]
	ok $? "$file is installed"
done
for unit in ward-agent ward-agent-link; do
	program=$(sed -n 's/^ExecStart=//p' "$prefix/lib/systemd/system/$unit.service")
	[ -x "$root$program" ]
	ok $? "$unit.service starts a program that is there: $program"
done
diff -r "$source/kmod" "$prefix"/src/ward-* >"$tmp/log" 2>&1
ok $? "the kernel modules' sources are installed, all of them: $(tail -3 "$tmp/log")"
for folder in . kernel tools tools/kernel; do
	for file in "$source/probes/$folder"/*.[ch]; do
		cmp "$file" "$prefix/share/doc/ward/examples/$folder/${file##*/}" >"$tmp/log" 2>&1
		ok $? "a probe is installed in the folder that it has in probes/: $(cat "$tmp/log")"
	done
done
[ -s "$prefix/share/doc/ward/examples/tools/kernel/tcp.h" ]
ok $? "the tools of the kernel have their headers beside them"
[ "$(find "$root" -mindepth 1 -maxdepth 2 | sort | tr '\n' ' ')" = "$root/opt $root/opt/ward " ]
ok $? "nothing stands outside of the prefix"
! grep -l "$build" "$prefix"/bin/* "$prefix"/lib/*.so.* "$prefix"/lib/pkgconfig/* "$prefix"/include/ward/* \
	2>/dev/null | while read -r file; do
	case $file in
	*/bin/* | *.so.*) readelf -d "$file" | grep -E 'R(UN)?PATH.*/' ;; # debug information may name the sources
	*) echo "$file" ;;
	esac
done | grep .
ok $? "nothing refers to the build's directory"

# An own copy of the module compiler's road: only installed headers, from a directory that isn't the source's.
cd "$tmp" || exit 2
"$prefix/bin/ward" cc "$prefix/share/doc/ward/examples/reads.c" -o reads.ward >"$tmp/log" 2>&1
ok $? "the installed ward cc: $(tail -3 "$tmp/log")"
"$prefix/bin/ward-verify" reads.ward >/dev/null
ok $? "the installed ward-verify"
for tool in "$prefix"/share/doc/ward/examples/tools/*.c; do
	"$prefix/bin/ward" cc "$tool" -o tool.ward >"$tmp/log" 2>&1
	ok $? "the installed ward cc of ${tool##*/}: $(tail -3 "$tmp/log")"
done
echo '#include <ward/ward.h>' >probe.c
! "$prefix/bin/ward" cc probe.c -o probe.ward >/dev/null 2>&1
ok $? "headers of C programs aren't the probes'"

# The compiler is a package of its own. Without it everything works but what compiles, and that says which package is
# missing.
mv "$prefix/lib/ward" "$tmp/compiler" && mv "$prefix/share/ward" "$tmp/headers"
cp "$source/probes/reads.c" probe.c
for command in "cc probe.c -o other.ward" "trace probe.c -- true"; do
	"$prefix/bin/ward" $command >out 2>err
	[ $? = 2 ] && [ ! -s out ] && [ ! -e other.ward ] &&
		[ "$(cat err)" = "ward: probe.c: the compiler of probes is not installed"$'\n'"hint: install it: apt-get install ward-compiler" ]
	ok $? "without the compiler: ward $command: $(cat err)"
done
for command in "trace reads.ward -- head -c 100 /dev/zero" "info reads.ward" "list --pid $$ libc.so.6!read" \
	"--version"; do
	"$prefix/bin/ward" $command >out 2>err
	ok $? "without the compiler: ward $command: $(cat err)"
done
mv "$tmp/compiler" "$prefix/lib/ward" && mv "$tmp/headers" "$prefix/share/ward"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
for package in ward ward-verify; do
	[ "$(pkg-config --modversion $package)" = "$("$prefix/bin/ward" --version | sed 's/ward //')" ]
	ok $? "$package.pc has the version"
done

# Another process, which reads two bytes at a time as long as it is fed.
mkfifo feed
dd if=feed of=/dev/null bs=2 2>/dev/null &
reader=$!
exec 9>feed
(while echo -n 1234567890; do sleep 0.01; done) >&9 2>/dev/null &
feeder=$!

runs() { # PROGRAM LIBRARIES: it sees its own 13 reads, one of each size, and those of the reader
	LD_LIBRARY_PATH=$2 "$1" reads.ward "$reader" >out 2>err
	ok $? "$1: $(cat err)"
	sed '/^the other/,$d' out >itself
	sed '1,/^the other/d' out >other
	[ "$(head -1 itself)" = "this process" ] && grep -qx 'calls: 13' itself &&
		grep -qE '^ *2048 \.\. 4095 +1$' itself && [ "$(wc -l <itself)" = 15 ]
	ok $? "$1 sees itself: $(cat out)"
	[ "$(wc -l <other)" = 2 ] && [[ $(cat other) =~ ^calls:\ ([1-9][0-9]*)$'\n'\ +2\ ..\ 3\ +([0-9]+)$ ]] &&
		[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
	ok $? "$1 sees the other process: $(cat other)"
}

$cc $sanitizers -Wall -Wextra -Werror "$source/examples/runtime.c" $(pkg-config --cflags --libs ward) -o shared
ok $? "built with the shared library"
readelf -d shared | grep -q 'NEEDED.*libward.so.1'
ok $? "which it needs"
$cc $sanitizers -Wall -Wextra -Werror "$source/examples/runtime.c" $(pkg-config --static --cflags --libs ward |
	sed 's/-l\(ward[a-z-]*\)/-l:lib\1.a/g') -o static
ok $? "built with the static library"
! readelf -d static | grep 'NEEDED.*libward'
ok $? "which it holds"
runs ./shared "$prefix/lib"
export WARD_HELPER=$prefix/lib/libward1/ward-helper
runs ./static ""

# What is linked with the static library finds the helper where it was to be installed, or where it is told.
LD_LIBRARY_PATH=$prefix/lib WARD_HELPER=$tmp/none ./shared reads.ward "$reader" >out 2>err
[ $? != 0 ] && grep -q "ward-helper: the program $tmp/none can't be run: No such file or directory" err
ok $? "without the helper: $(cat err)"
unset WARD_HELPER

DESTDIR=$root "$source/packaging/uninstall.sh" "$tmp/manifest"
ok $? "uninstall"
! find "$root" -type f | grep . && [ ! -e "$prefix/lib/ward" ] && [ ! -e "$prefix/lib/libward1" ] &&
	[ ! -e "$prefix/share/ward" ] && [ ! -e "$prefix/include/ward" ]
ok $? "nothing is left of it"
DESTDIR=$root "$source/packaging/uninstall.sh" "$tmp/manifest" 2>/dev/null
[ $? = 2 ]
ok $? "a second time there is nothing to remove"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
