#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The main job, shown: probe a live program, read what it does, let it go on unharmed.
#
# The target is the sqlite3 shell, working through batches of queries on two databases whose pages don't fit into its
# small cache, so
# that it keeps reading. It is fed as long as the demonstration takes; its final answer is compared with what a
# formula says.
set -eu
build=${1:-build}
ward=$build/bin/ward
probe=probes/reads.c
rows=20000

tmp=$(mktemp -d)
target= feeder=
cleanup() {
	trap - EXIT INT TERM HUP
	touch "$tmp/stop" 2>/dev/null || true
	exec 3>&- 2>/dev/null || true
	for pid in $feeder $target; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'cleanup; exit 130' INT
trap 'cleanup; exit 143' TERM HUP

say() { printf '\n== %s\n' "$*"; }

# Tables of known content: i = 1 … rows.
fill() {
	sqlite3 "$1" "PRAGMA page_size = $2; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
		CREATE TABLE t (i INTEGER PRIMARY KEY, pad BLOB);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $rows)
		INSERT INTO t SELECT i, zeroblob(200) FROM n;" >/dev/null
}
say "a database of $rows rows in 1 KB pages, another in 16 KB pages"
fill "$tmp/small.db" 1024
fill "$tmp/large.db" 16384

cat >"$tmp/batch.sql" <<SQL
INSERT INTO seen SELECT sum(i) FROM main.t;
INSERT INTO seen SELECT sum(i) FROM large.t;
INSERT INTO seen SELECT sum(t.i) FROM main.t AS t JOIN large.t AS u ON u.i = $rows + 1 - t.i WHERE t.i % 16 = 0;
SQL

# Batches until told to stop; the number of them is the last thing written.
feed() {
	local n=0
	echo "PRAGMA cache_size = 16; ATTACH '$tmp/large.db' AS large; PRAGMA large.cache_size = 16;"
	echo "CREATE TEMP TABLE seen (s INTEGER);"
	while [ ! -e "$tmp/stop" ]; do
		cat "$tmp/batch.sql"
		n=$((n + 1))
		printf '.once %s\n.print %s\n' "$tmp/progress" "$n"
	done
	echo "SELECT count(*) || ' ' || sum(s) FROM seen;"
	echo $n >"$tmp/batches"
}

# Batches done; the file is empty for a moment each time.
progress() {
	local n
	n=$(cat "$tmp/progress" 2>/dev/null) || true
	echo "${n:-0}"
}

mkfifo "$tmp/in"
sqlite3 "$tmp/small.db" <"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
target=$!
feed >"$tmp/in" &
feeder=$!
while [ "$(progress)" = 0 ] && kill -0 "$target"; do sleep 0.05; done
say "sqlite3 runs as process $target and has done $(progress) batches of queries"

say "ward trace -p $target -d 2 $probe"
"$ward" trace -p "$target" -d 2 "$probe"

query='Return("libc.so.6!pread64").GroupBy(arg2 / 1024)
	.Select(g => new { kilobytes = g.Key, n = g.Count(), mean = g.Average(elapsed) })'
say "ward query -p $target -d 2 '$query'"
"$ward" query -p "$target" -d 2 "$query"

before=$(progress)
say "the probe is off; sqlite3 has done $before batches and goes on"
while [ "$(progress)" -lt $((before + 20)) ] && kill -0 "$target"; do sleep 0.05; done
touch "$tmp/stop"
wait "$feeder"
feeder=
status=0
wait "$target" || status=$?
target=

# Each batch adds three sums: twice 1 + … + rows, and once the multiples of 16 up to it.
n=$(cat "$tmp/batches")
m=$((rows / 16))
expected="$((3 * n)) $((n * (2 * (rows * (rows + 1) / 2) + 16 * (m * (m + 1) / 2))))"
actual=$(cat "$tmp/out")
echo "batches        $n"
echo "its answer     $actual"
echo "by formula     $expected"
if [ "$status" != 0 ] || [ "$actual" != "$expected" ] || [ -s "$tmp/err" ]; then
	cat "$tmp/err" >&2
	echo "ward: demo: sqlite3 ended with status $status and not with the right answer" >&2
	exit 1
fi
echo "sqlite3 ended with status 0 and the right answer"
