#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# node, with code that its compiler makes while it runs, which is left alone.
. "$(dirname "$0")/lib.sh"

node=$(command -v node) || missing nodejs
mkfifo "$tmp/in"
: >"$tmp/answers"
"$node" -e '
const fs = require("fs");
function stats(n) { let k = 0; for (let i = 0; i < n; i++) k += fs.statSync("/").isDirectory() ? 1 : 0; return k; }
function hot(n) { let x = 1; for (let i = 0; i < n; i++) x = (Math.imul(x, 1103515245) + 12345) >>> 0; return x; }
require("readline").createInterface({ input: process.stdin }).on("line", line => console.log(String(eval(line))));
' <"$tmp/in" >"$tmp/answers" 2>"$tmp/errors" &
node_pid=$!
started+=("$node_pid")
exec 9>"$tmp/in"
asked=0
ask() {
	asked=$((asked + 1))
	echo "$1" >&9
	while [ "$(wc -l <"$tmp/answers")" -lt $asked ] && kill -0 "$node_pid" 2>/dev/null; do sleep 0.01; done
}
answer() { tail -n 1 "$tmp/answers"; }

ask 'stats(10)'
ask 'hot(3000000)'
hot=$(answer)
attach "$node_pid" '*!uv_fs_stat'
ask 'stats(3000)'
detach uv_fs_stat
check "uv_fs_stat: every call" [ "$calls" = 3000 ]
check "uv_fs_stat: every return" [ "$returns" = 3000 ]
check "uv_fs_stat: the answer" [ "$(answer)" = 3000 ]
round() { ask 'hot(3000000)'; [ "$(answer)" = "$hot" ] && ask 'stats(300)' && [ "$(answer)" = 300 ]; }
start_rounds round
come_and_go $times "$node_pid" '*!uv_*' '*!uv__*' 'libc.so.6!mem*'
end_rounds
unharmed "$node_pid" kept
exec 9>&-
wait "$node_pid"
check "its end" [ $? = 0 ]
check "no error" [ ! -s "$tmp/errors" ]
summary
