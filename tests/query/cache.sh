#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modules of queries are compiled once: cache.sh WARD BUSY. What somebody else could have written isn't used.
. "$(dirname "$0")/../cli/lib.sh"
cp "$2" "$tmp/busy"
cd "$tmp"
export XDG_CACHE_HOME=$tmp/cache
ask() { run query -q --stats --csv "$@" -- ./busy 1 0.1 200; }
compiled() { [ "$status" = 0 ] && grep -q '^the probe was compiled in' err; }
cached() { [ "$status" = 0 ] && grep -q '^the probe was taken from the cache in' err; }
did() { # the only row is what the program did
	[ "$(sed -n 2p out | tr -d '\r')" = "$(grep '^{' err | jq ".$1")" ]
}
count='Function("busy!step").Count()'
file() { ls cache/ward/*.query; }

ask "$count"
check "the first time it is compiled" compiled
check "and counts" did count
ask "$count"
check "the second time nothing is compiled" cached
check "and it counts as well" did count
check "the files are the user's alone" [ "$(stat -c %a cache/ward cache/ward/* | sort -u | tr '\n' ' ')" = "600 700 " ]
ask "$count.Take(5)"
check "the last steps are no part of the probe" cached
ask 'Function("busy!step").Sum(arg1)'
check "another probe is" compiled
check "it sums up" did sum
rm cache/ward/*.query

# What differs from one run to the next is set when the module is attached.
for query in 'Function("busy!step").Where(time > Now.AddMilliseconds(1)).Count()' \
	'Function("busy!step").Window(100.ms).Max(arg1)' 'Function("busy!step").Where(arg0 + 1 > 5).Hist(arg0)'; do
	ask "$query"
	check "compiled: $query" compiled
	cp out first
	ask "$query"
	check "not again: $query" cached
	check "it has rows: $query" [ "$(wc -l <out)" -ge 2 ]
done
window=$(sed -n 2p out | cut -d, -f1)
run query -q --csv 'Function("busy!step").Window(100.ms).Max(arg1)' -- ./busy 1 0.1 200
window=$(sed -n 2p out | cut -d, -f1)
check "windows are of this run" [ $((($(date +%s%N) - window) / 1000000000)) -lt 60 ]
rm cache/ward/*.query

# So are parameters, unless they shape the probe.
sum='param long least = 0; Function("busy!step").Where(arg1 >= least + more).Sum(arg1 * factor << shift)'
ask "$sum" -D more=0 -D factor=1 -D shift=0
check "parameters: compiled" compiled
check "parameters: the sum" did sum
ask "$sum" -D more=-5 -D factor=3 -D shift=2 -D least=5
check "other values: not again" cached
check "other values: the sum" did 'sum * 12'
ask "$sum" -D more=1 -D factor=1 -D shift=0 -D least=2000
check "a limit above all: not again" cached
check "a limit above all: the sum" [ "$(sed -n 2p out | tr -d '\r')" = 0 ]
longest='param duration period = 1.s; Function("busy!step").Window(period).Max(arg1)'
ask "$longest"
check "a period: compiled" compiled
run query -q --stats --csv -D period=100.ms "$longest" -- ./busy 1 0.6 200
check "another one: not again" cached
check "another one: its windows" [ "$(sed 1d out | awk -F, '$1 % 100000000 == 0 && $2 > 1900' | wc -l)" -ge 5 ]
for unit in 4 7; do
	ask 'Function("busy!step").Sum(arg1 / unit)' -D unit=$unit
	check "a divisor is in the code: compiled" compiled
done
rm cache/ward/*.query

# Files that aren't right are not used, and are replaced.
ask "$count"
damage() { # what, then how to do it
	local what=$1
	shift
	"$@"
	ask "$count"
	check "$what: compiled" compiled
	check "$what: it counts" did count
	ask "$count"
	check "$what: it is right again" cached
}
flip() { # a byte of the module's code
	python3 - "$(file)" "$1" <<'P'
import sys
path, place = sys.argv[1], float(sys.argv[2])
data = bytearray(open(path, "rb").read())
for i in range(int(len(data) * place), min(len(data), int(len(data) * place) + 400)):
    data[i] ^= 0x55
open(path, "wb").write(data)
P
}
link() { mv "$(file)" "$tmp/elsewhere"; ln -s "$tmp/elsewhere" "cache/ward/$name"; }
name=$(basename "$(file)")
damage "others may write" chmod 666 "cache/ward/$name"
damage "a link" link
check "what it leads to stays" [ -f "$tmp/elsewhere" ]
damage "cut" truncate -s -100 "cache/ward/$name"
damage "empty" truncate -s 0 "cache/ward/$name"
damage "another head" flip 0
damage "another key" flip 0.1
damage "another module" flip 0.7
damage "another end" flip 0.99
damage "a pipe" sh -c "rm cache/ward/$name; mkfifo -m 600 cache/ward/$name"
if [ "$(id -u)" = 0 ]; then
	damage "another one's" chown 12345 "cache/ward/$name"
fi
chmod 777 cache/ward
ask "$count"
check "a directory that others may write to isn't used" compiled
chmod 700 cache/ward
rm -rf cache
ln -s "$tmp" cache
mkdir ward
chmod 700 ward
ask "$count"
check "where the cache is, the user says" compiled
rm cache
ln -s /nowhere cache
ask "$count"
check "without a cache it works" compiled
check "and counts, too" did count
unset XDG_CACHE_HOME
export HOME=
ask "$count"
check "without a home, too" compiled

# At most 256 files.
export XDG_CACHE_HOME=$tmp/many
mkdir -p many/ward
chmod 700 many/ward
for i in $(seq 300); do echo x >"many/ward/$i.query"; done
ask "$count"
check "what wasn't used for longest makes room" [ "$(ls many/ward | wc -l)" -le 301 ]
summary
