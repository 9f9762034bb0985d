#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A cluster of two machines, from nothing, by the ten commands of docs/operator/cluster.md, as they stand there. The
# machines are namespaces (tools/machines.sh) with an /etc, a /var and a /run of their own, which are empty of Ward.
# What is the test's: a copy of a file to a machine is done without ssh, a command that ends in & is begun by it,
# and limits that depend on how busy this machine is are wide.
# Usage: ten_commands.sh BUILD PAGE
set -eu
. "$(dirname "$0")/../../tools/machines.sh"
machines_enter "$@"
build=$(realpath "$1") page=$(realpath "$2")
tmp=$(mktemp -d)
mount -t tmpfs tmpfs "$tmp" # gone with this script
trap 'status=$?; umount -l "$tmp"; rmdir "$tmp"; exit $status' EXIT
cd "$tmp"

fail() {
	echo "FAIL: $*" >&2
	tail -n 30 ./*.log ./*.out >&2
	exit 1
}
until_so() { # WHAT COMMAND...
	local what=$1 n=0
	shift
	until "$@" >/dev/null 2>&1; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "$what: not after a minute"
		sleep 0.1
	done
}

# ---- what the page says ----

# Commands as "MACHINE COMMAND", in their order; and the configuration, which is the first block with a section.
section=$(sed -n '/^## Two machines, in ten commands/,/^## Set up/p' "$page")
sed -e ':more' -e '/\\$/{N;s/ *\\\n */ /;b more' -e '}' <<<"$section" | sed -n 's/^\([a-z0-9]*\)# /\1 /p' >commands
[ "$(wc -l <commands)" = 10 ] || fail "the page has $(wc -l <commands) commands"
sed -n '/^\[bus\]/,/^```/p' <<<"$section" | grep -v '^```' >conf
grep -q '^key = ' conf || fail "the page has no configuration"

# ---- machines ----

own() { # DIRECTORY NAME: what is written there is this machine's alone
	mkdir -p "$tmp/$2$1.new" "$tmp/$2$1.work"
	mount -t overlay -o "lowerdir=$1,upperdir=$tmp/$2$1.new,workdir=$tmp/$2$1.work" overlay "$1" || exit 77
}
machine_own() { # NAME
	export tmp
	for directory in /etc /var /run; do
		on "$1" bash -c "$(declare -f own); own $directory $1"
	done
	on "$1" mkdir /etc/ward /var/lib/ward /var/log/ward /run/ward # as the package has them
}
own /etc bus
printf '127.0.0.1 localhost\n10.77.0.1 bus.example.net\n10.77.0.2 web1.example.net\n10.77.0.3 web2.example.net\n' \
	>/etc/hosts
machines_up web1 web2
hostname bus.example.net
for name in web1 web2; do
	on "$name" hostname "$name.example.net"
	machine_own "$name"
	on "$name" /usr/bin/python3 -c '
import os, time
zero = os.open("/dev/zero", os.O_RDONLY)
while True:
	os.read(zero, 64)
	time.sleep(0.005)
' &
done
export PATH="$build/bin:$PATH" XDG_STATE_HOME="$tmp/home"

scp() { # -p FILE... HOST:DIRECTORY
	local to=${*: -1} files=("${@:2:$#-2}")
	tar -cf - "${files[@]}" | on "${to%%.*}" tar -C "${to#*:}" -xpf -
}

# ---- the ten commands ----

run() { # MACHINE COMMAND...
	if [ "$1" = bus ]; then
		eval "$2"
	else
		on "$1" bash -c "$2"
	fi
}
n=0
both_there() {
	ward cluster machines --cluster tls://bus.example.net:4222 --creds alice.creds >machines.out &&
		[ "$(grep -c '^web[12]\.example\.net  *idle' machines.out)" = 2 ]
}
while read -r machine command; do
	n=$((n + 1))
	[ $n != 10 ] || until_so "both machines" both_there # the query takes 5 s, and this machine may have much to do
	echo "$machine# $command"
	case $command in
	*' &')
		run "$machine" "exec ${command% &}" >"$n.log" 2>&1 </dev/null &
		case $command in
		nats-server*) until_so "the server" grep -q 'Server is ready' "$n.log" ;;
		*) until_so "the agent of $machine" grep -q '1 coordinator, cluster default' "$n.log" ;;
		esac
		;;
	*)
		run "$machine" "$command" >"$n.out" 2>&1 </dev/null || fail "$command: status $?"
		;;
	esac
	if [ $n = 2 ]; then # the page: with that key
		key=$(sed -n 's/^key = //p' 2.out)
		sed "s|^key = .*|key = $key|" conf >agent.conf
		printf '[limits]\npause = 10s\noverhead = 50%%\n' >>agent.conf # a machine with other tests is slow
	fi
done <commands

cat "$n.out"
grep -qE '^ *web1\.example\.net +[1-9][0-9]*$' "$n.out" || fail "web1 isn't in the result"
grep -qE '^ *web2\.example\.net +[1-9][0-9]*$' "$n.out" || fail "web2 isn't in the result"
for name in web1 web2; do
	on "$name" "$build/bin/ward" agent --check --creds "/etc/ward/$name.example.net.creds" >"$name.out" 2>&1 ||
		fail "$name: ward agent --check"
done
ward cluster init --check --cluster tls://bus.example.net:4222 --creds alice.creds >check.out 2>&1 ||
	fail "ward cluster init --check"
