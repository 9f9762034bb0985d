#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A small network of machines on this one, for demonstrations and tests of the cluster. Include it:
#
#      . tools/machines.sh
#      machines_enter "$@"        # starts the script again in namespaces of its own; whatever it starts ends with it
#      machines_up web1 web2 db1  # machines with a host name, processes, /proc and a network of their own
#      on web1 COMMAND …          # run there
#      address web1               # its address; that of the machine where the script itself runs is 10.77.0.1
#      machines_cut web1          # takes its cable out; machines_join web1 puts it in again
#
# The script is the first process of a process namespace: when it ends, however it ends, the kernel ends all the rest
# and takes the networks away. Nothing has a name outside.
# Exit status 77: it can't be had here.
machines_enter() {
	[ -z "${WARD_MACHINES:-}" ] || return 0
	unshare --net --mount --pid --fork --uts --ipc ip link add ward0 type bridge 2>/dev/null || {
		echo "ward: machines: no namespaces with a network can be made here" >&2
		echo "hint: run this as root, on a kernel with bridges" >&2
		exit 77
	}
	WARD_MACHINES=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc --uts --ipc \
		--propagation private "$0" "$@"
}

declare -A machine_pid machine_address

machines_up() {
	local name n=1 pid
	ip link set lo up
	ip link add ward0 type bridge
	ip address add 10.77.0.1/24 dev ward0
	ip link set ward0 up
	hostname coordinator
	for name; do
		n=$((n + 1))
		unshare --net --mount --pid --fork --kill-child --mount-proc --uts --ipc \
			sh -c "hostname $name; exec sleep infinity" &
		pid=$(machine_first $!)
		machine_pid[$name]=$pid machine_address[$name]=10.77.0.$n
		ip link add "v$n" type veth peer name eth0 netns "$pid"
		ip link set "v$n" master ward0 up
		on "$name" sh -c "ip link set lo up; ip link set eth0 up; ip address add 10.77.0.$n/24 dev eth0"
	done
}

# The first process of a machine: the child of the unshare that made it, once it is what it becomes.
machine_first() {
	local pid=
	while kill -0 "$1"; do
		pid=$(pgrep -x -P "$1" sleep) && break
		sleep 0.01
	done
	echo "$pid"
}

on() {
	local name=$1
	shift
	nsenter --target "${machine_pid[$name]}" --net --mount --pid --uts --ipc -- "$@"
}

address() { echo "${machine_address[$1]}"; }
machines_cut() { ip link set "v${machine_address[$1]##*.}" down; }
machines_join() { ip link set "v${machine_address[$1]##*.}" up; }
