#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Use what a package has just brought, in the system where it was installed. debian.sh says which one, and in which
# order. Usage: use.sh runtime|agent|compiler|develop|kernel VERSION
set -u
part=$1 version=$2
tmp=$(mktemp -d) || exit 2
cd "$tmp" || exit 2
# A program that keeps reading two bytes at a time.
dd if=/dev/zero of=/dev/null bs=2 2>/dev/null &
reader=$!
trap 'kill $reader; rm -rf "$tmp"' EXIT
passed=0 failed=0

ok() { # STATUS WHAT: the status first, for $? is that of a command in what is said before it
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $2"
	fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Events were seen, in one row of the histogram, and the program goes on.
traced() { # STATUS
	ok "$1" "ward trace: $(cat err)"
	grep -qE '^calls +[1-9][0-9]*$' out && grep -qE '^ *\[2, 4\) +[1-9][0-9]*' out &&
		grep -qE '^[1-9][0-9]* events in 1 thread, 0 dropped$' out
	ok $? "ward trace counts: $(cat out)"
	kill -0 $reader
	ok $? "the traced program goes on"
}

runtime() {
	! dpkg-query -W -f '${Package}\n' | grep -E 'clang|llvm|gcc-[0-9]+$'
	ok $? "no compiler is installed"
	[ "$(ward --version)" = "ward $version" ]
	ok $? "ward --version"
	ward-verify ~/reads.ward >out 2>err && grep -q '^/root/reads.ward: accepted' out
	ok $? "ward-verify: $(cat out err)"
	ward info ~/reads.ward >out 2>err
	ok $? "ward info: $(cat err)"
	ward list -p $reader 'libc.so.6!read' >out 2>err && grep -q 'libc.so.6!read' out
	ok $? "ward list: $(cat out err)"
	ward trace -p $reader -d 1 ~/reads.ward >out 2>err
	traced $?
	ward trace -p $reader -d 1000 ~/reads.ward >out 2>err &
	tracer=$!
	until grep -q '^attached .*!read ' err || ! kill -0 $tracer; do sleep 0.1; done
	kill -KILL $tracer
	wait $tracer 2>/dev/null
	ward detach -p $reader >out 2>err
	ok $? "ward detach: $(cat out err)"
	printf '\x7fELF and no more' >broken.ward
	ward-verify broken.ward >out 2>err
	[ $? = 1 ]
	ok $? "ward-verify rejects what is no module: $(cat out err)"
	echo 'int x;' >probe.c
	echo "ward: probe.c: the compiler of probes is not installed" >missing
	echo "hint: install it: apt-get install ward-compiler" >>missing
	for command in "cc probe.c" "trace -p $reader -d 1 probe.c"; do
		ward $command >out 2>err
		[ $? = 2 ] && cmp err missing
		ok $? "ward $command without the compiler: $(cat err)"
	done
}

# A machine that hasn't been told of its cluster yet: that, and nothing else, is what is missing.
agent() {
	[ "$(stat -c '%U %a' /etc/ward/agent.conf)" = "root 644" ]
	ok $? "the configuration is root's: $(ls -l /etc/ward)"
	getent passwd ward-link >out
	ok $? "the link has a user of its own"
	for unit in ward-agent ward-agent-link; do
		program=$(sed -n 's/^ExecStart=//p' /lib/systemd/system/$unit.service)
		"$program" --help >out 2>err && grep -q "^usage: $unit " out
		ok $? "$unit.service starts $program: $(cat out err)"
	done
	ward agent --check >out 2>err
	[ $? = 2 ] && grep -q '^ward: /etc/ward/agent.conf:.*no section \[bus\]\|has no url' err
	ok $? "ward agent --check: $(cat out err)"
	cat >/etc/ward/agent.conf <<-END
		[bus]
		url = tls://localhost:1
		cluster = default
		[machine]
		name = web1
	END
	ward agent --check >out 2>err
	[ $? = 3 ] && grep -q 'no coordinator may order anything' err && grep -q '/etc/ward/bus.creds: No such file' err
	ok $? "ward agent --check: $(cat out err)"
}

compiler() {
	installed clang-19
	ok $? "clang-19 comes with it"
	ward cc /usr/share/doc/ward-compiler/examples/reads.c -o reads.ward >out 2>err
	ok $? "ward cc: $(cat err)"
	ward-verify reads.ward >out 2>err
	ok $? "ward-verify: $(cat out err)"
	for tool in /usr/share/doc/ward-compiler/examples/tools/*.c; do
		ward cc "$tool" -o tool.ward >out 2>err
		ok $? "ward cc of ${tool##*/}: $(cat err)"
	done
	for tool in biosnoop.c tcplife.c tcp.h; do
		[ -s /usr/share/doc/ward-compiler/examples/tools/kernel/$tool ]
		ok $? "the package has the kernel's $tool"
	done
	ward trace -p $reader -d 1 /usr/share/doc/ward-compiler/examples/reads.c >out 2>err
	traced $?
}

develop() {
	local source=/usr/share/doc/libward-dev/examples/runtime.c
	for package in ward ward-verify; do
		[ "$(pkg-config --modversion $package)" = "$version" ]
		ok $? "$package.pc has the version"
	done
	cc -Wall -Wextra -Werror $source $(pkg-config --cflags --libs ward) -o shared
	ok $? "built with the shared library"
	cc -Wall -Wextra -Werror $source -o static \
		$(pkg-config --static --cflags --libs ward | sed 's/-l\(ward[a-z-]*\)/-l:lib\1.a/g')
	ok $? "built with the static library"
	for program in shared static; do
		./$program ~/reads.ward $reader >out 2>err && grep -qx 'this process' out &&
			grep -qx 'calls: 13' out && sed '1,/^the other/d' out | grep -qE '^ +2 \.\. 3 +[1-9]'
		ok $? "$program: $(cat out err)"
	done
}

# DKMS has built the modules for the kernel whose headers came with it.
kernel() {
	local release module
	release=$(cd /lib/modules && echo *)
	dkms build "ward/$version" -k "$release" --force >out 2>&1
	ok $? "dkms build: $(tail -n 5 out)"
	dkms install "ward/$version" -k "$release" --force >out 2>&1
	ok $? "dkms install: $(tail -n 5 out)"
	dkms status "ward/$version" >out && grep -q "$release.*: installed" out
	ok $? "dkms status: $(cat out)"
	for module in ward ward_arena; do
		[ "$(modinfo -F vermagic "/lib/modules/$release/updates/dkms/$module.ko" | cut -d' ' -f1)" = \
			"$release" ]
		ok $? "$module.ko is for $release"
	done
}

$part
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
