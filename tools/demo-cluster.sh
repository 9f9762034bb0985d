#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The main job of a cluster, shown: one query on three machines at once, one of which is lost on the way.
#
# The machines are namespaces of this one (tools/machines.sh): each has a host name, processes and a network of its own,
# an agent, and a program that reads: redis-server, python3, sqlite3. A library in these programs counts what they read
# themselves (tests/cluster/counted.c). In the end the query's result is compared with that, to the last call.
set -eu
. "$(dirname "$0")/machines.sh"
machines_enter "$@"
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
ward=$build/bin/ward
tmp=$(mktemp -d)
mount -t tmpfs tmpfs "$tmp" # gone with this script
trap 'status=$?; umount -l "$tmp"; rmdir "$tmp"; exit $status' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
bus=tls://10.77.0.1:4222

say() { printf '\n== %s\n' "$*"; }
fail() {
	echo "ward: demo-cluster: $*" >&2
	tail -n 20 "$tmp"/*.log >&2
	exit 1
}
# Wait for a state, and give up after a minute: until_so WHAT COMMAND...
until_so() {
	local what=$1 n=0
	shift
	until "$@" >/dev/null 2>&1; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "$what: not after a minute"
		sleep 0.1
	done
}

# Calls of read and pread64 for 8 KB and more, as a program has counted them itself.
counted() { od -An -v -w8 -tu8 -j64 "$tmp/$1.counts" | awk '{ n += $1 } END { print n + 0 }'; }
counted_all() { echo $(($(counted web1) + $(counted web2) + $(counted db1))); }
begin() { # machine, program...
	local name=$1
	shift
	on "$name" env COUNTED="$tmp/$name.counts" LD_PRELOAD="$build/lib/ward-counted.so" "$@"
}

# ---- three programs, which read as much as they are told to ----

# web1: redis reads into a buffer of 16 KB whenever a client sends something.
redis_begin() {
	local server
	server=$(command -v redis-check-rdb)
	begin web1 bash -c "exec -a redis-server $server --port 6379 --bind 127.0.0.1 --save '' --appendonly no \
		--dir $tmp" >"$tmp/redis.log" 2>&1 &
	until_so "redis-server" on web1 redis-cli ping
}
redis_read() { on web1 redis-benchmark -q -t ping_mbulk -n "$1" -c 4 >/dev/null; }

# web2: python3 reads blocks of 20 KB, as many as a line of its input says.
python_begin() {
	mkfifo "$tmp/python.in"
	begin web2 python3 -u -c '
import os, sys
zero = os.open("/dev/zero", os.O_RDONLY)
for line in sys.stdin:
	for i in range(int(line)):
		os.read(zero, 20480)
	print("done")
' <"$tmp/python.in" >"$tmp/python.out" 2>"$tmp/python.log" &
	exec 3>"$tmp/python.in"
}
python_read() {
	local before
	before=$(wc -l <"$tmp/python.out")
	echo "$1" >&3
	until_so "python3" lines_more "$tmp/python.out" "$before"
}
lines_more() { [ "$(wc -l <"$1")" -gt "$2" ]; }

# db1: sqlite3 reads pages of 16 KB, as its cache has room for 16 of them; a scan of the table is as good as 400 pages.
sqlite_begin() {
	sqlite3 "$tmp/db" "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
		CREATE TABLE t (i INTEGER PRIMARY KEY, pad BLOB);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 32000)
		INSERT INTO t SELECT i, zeroblob(200) FROM n;" >/dev/null
	mkfifo "$tmp/sqlite.in"
	begin db1 sqlite3 "$tmp/db" <"$tmp/sqlite.in" >"$tmp/sqlite.out" 2>"$tmp/sqlite.log" &
	exec 4>"$tmp/sqlite.in"
	echo "PRAGMA cache_size = 16;" >&4
}
sqlite_read() {
	local i before
	before=$(wc -l <"$tmp/sqlite.out")
	for ((i = 0; i < $1; i++)); do echo "SELECT sum(length(pad)) FROM t;" >&4; done
	until_so "sqlite3" lines_more "$tmp/sqlite.out" $((before + $1 - 1))
}

# ---- the cluster ----

say "an authority, a bus with TLS, and credentials of three machines and of alice"
"$ward" cluster init --server 10.77.0.1 --listen 10.77.0.1:4222 --dir "$tmp/bus" >/dev/null
cd "$tmp"
for name in web1 web2 db1; do "$ward" cluster enrol --role agent --dir "$tmp/bus" $name >/dev/null; done
"$ward" cluster enrol --role coordinator --dir "$tmp/bus" alice | tee alice.txt
key=$(sed -n 's/^key = //p' alice.txt)
machines_up web1 web2 db1
nats-server -c "$tmp/bus/server.conf" >"$tmp/bus.log" 2>&1 &

agent_begin() { # machine, roles
	mkdir -p "$tmp/$1/run"
	cat >"$tmp/$1/agent.conf" <<-CONF
		[bus]
		url = $bus
		cluster = default
		[machine]
		labels = role=$2
		[coordinator alice]
		key = $key
		may = user
		sites = libc.so.6!*read*
		processes = exe=*/redis-check-rdb exe=*/python3* exe=*/sqlite3
		results = keys
		modules = any
		[limits]
		overhead = 50%
		pause = 1s
	CONF
	on "$1" "$build/bin/ward-agent" --config "$tmp/$1/agent.conf" --state "$tmp/$1/state" --log "$tmp/$1/log" \
		--run "$tmp/$1/run" >"$tmp/$1.log" 2>&1 &
	on "$1" "$build/bin/ward-agent-link" --socket "$tmp/$1/run/link" --creds "$tmp/$1.creds" \
		>"$tmp/$1-link.log" 2>&1 &
}
# Both processes of a machine's agent, and its workers, at once: none can react to another's end.
agent_kill() {
	local pids
	pids=$(on "$1" pgrep -x 'ward-agent|ward-agent-link|ward-worker')
	on "$1" kill -STOP $pids
	on "$1" kill -KILL $pids
}

say "three machines: redis-server on web1, python3 on web2, sqlite3 on db1; each has an agent"
redis_begin
python_begin
sqlite_begin
agent_begin web1 web
agent_begin web2 web
agent_begin db1 db

question='from io in cluster.Function("libc.so.6!read", "libc.so.6!pread64")
where io.Arg(2) >= 8192
let size = io.Arg(2)
group io by size/1024 into g
select new { sizeInKilobytes = g.Key, countOfReadIOs = g.Count() }'

live=
[ ! -t 2 ] || live=--live
say "ward query --cluster $bus --creds alice.creds --process 'exe=*/sqlite3' … '$question'"
"$ward" query --cluster "$bus" --creds alice.creds --process 'exe=*/redis-check-rdb' --process 'exe=*/python3*' \
	--process 'exe=*/sqlite3' --period 0.5 -d 600 $live -o answer "$question" \
	2> >(tee machines >&2) &
query=$!

# How many of the machines' lines say that so many report? The last one counts.
reporting() { [ "$(sed -n 's/.* \([0-9]*\) reporting.*/\1/p' machines | tail -n 1)" = "$1" ]; }
until_so "three machines report" reporting 3
before=$(counted_all)

say "each program reads: 20,000, 10,000 and some 8,000 times"
redis_read 20000
python_read 10000
sqlite_read 10
sleep 1.5 # what they have read is in the next partial

say "web2 is lost: its agent is killed (SIGKILL); what it has counted so far stays in the result"
lost=$(counted web2)
agent_kill web2

say "web1 and db1 read on; so does python3 on web2, which nobody sees now"
redis_read 10000
sqlite_read 5
python_read 500
unseen=$(($(counted web2) - lost))
until_so "it is named" grep -q '^lost *web2' machines

say "Ctrl-C"
kill -INT "$query"
status=0
wait "$query" || status=$?
query=
cat answer

total=$(awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { n += $2 } END { print n + 0 }' answer)
programs=$(($(counted_all) - before - unseen))
echo
echo "the query has counted      $total reads of 8 KB and more"
echo "the programs themselves    $programs, and $unseen on web2 behind its agent's end"
for name in web1 web2 db1; do
	! grep -q 'ward' <(on "$name" sh -c 'cat /proc/[0-9]*/maps 2>/dev/null' | grep memfd:ward-code) ||
		[ "$name" = web2 ] || fail "$name: something of a probe is left"
done
[ "$total" = "$programs" ] || fail "that isn't the same"
[ "$status" = 3 ] || fail "the exit status is $status: a result without web2's end is not complete, which is 3"
echo "they are the same, and the result says that web2 is missing: exit status 3"
