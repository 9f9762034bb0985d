#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# redis-server under redis-benchmark.
. "$(dirname "$0")/lib.sh"

# The server is a program of Debian's redis-tools under another name: it decides by that name what to do.
server=$(command -v redis-check-rdb) || missing redis-tools
socket=$tmp/socket
(exec -a redis-server "$server" --port 0 --unixsocket "$socket" --save '' --appendonly no --dir "$tmp") \
	>"$tmp/server" 2>&1 &
server_pid=$!
started+=("$server_pid")
until_works "$server_pid" redis-cli -s "$socket" ping
client() { redis-benchmark -s "$socket" --csv "$@"; }
ask() { redis-cli -s "$socket" "$@"; }

for site in 'redis-check-rdb!setCommand' 'redis-check-rdb!incrCommand'; do
	before=$(ask get counter:__rand_int__)
	attach "$server_pid" "$site"
	client -t set,incr -n 3000 -c 8 >"$tmp/out" 2>"$tmp/err"
	detach "$site"
	check "$site: every call" [ "$calls" = 3000 ]
	check "$site: every return" [ "$returns" = 3000 ]
	check "$site: the server's own count" [ "$(ask get counter:__rand_int__)" = $((${before:-0} + 3000)) ]
done

ask set sum 0 >"$tmp/out"
start_rounds redis-benchmark -s "$socket" --csv -n 400 -c 8 incr sum
come_and_go $times "$server_pid" 'redis-check-rdb!call' 'redis-check-rdb!*Command' 'redis-check-rdb!dict*' \
	'libc.so.6!mem*'
come_and_die $((3 + times / 4)) "$server_pid" 'redis-check-rdb!*Command'
end_rounds
check "the client's sum" [ "$(ask get sum)" = $((rounds * 400)) ]
unharmed "$server_pid"
check "the server still answers" [ "$(ask ping)" = PONG ]
kill "$server_pid"
wait "$server_pid"
check "the server's end" [ $? = 0 ]
summary
