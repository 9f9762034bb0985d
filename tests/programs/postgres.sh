#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# postgres under pgbench: the process that serves one of its clients.
. "$(dirname "$0")/lib.sh"

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -x "$programs/postgres" ] && [ -x "$programs/pgbench" ] || missing postgresql
# The server refuses to run as root, so it then runs as nobody.
as=()
mkdir "$tmp/data"
if [ "$(id -u)" = 0 ]; then
	as=(setpriv --reuid nobody --regid nogroup --clear-groups --)
	chmod a+rx "$tmp"
	chown nobody:nogroup "$tmp/data"
fi
cd "$tmp" || exit
"${as[@]}" "$programs/initdb" -D "$tmp/data" -A trust -U ward -N >"$tmp/out" 2>"$tmp/err" || { fail "initdb"; summary; }
"${as[@]}" "$programs/postgres" -D "$tmp/data" -c listen_addresses= -c "unix_socket_directories=$tmp/data" -c \
	fsync=off -c shared_buffers=16MB -c jit=off -c autovacuum=off >"$tmp/server" 2>&1 &
server_pid=$!
started+=("$server_pid")
export PGHOST=$tmp/data PGUSER=ward PGDATABASE=postgres
ask() { "$programs/psql" -X -A -t -c "$1"; }
until_works "$server_pid" ask 'select 1'
ask 'create table counter (n bigint); insert into counter values (0);' >"$tmp/out" 2>"$tmp/err"
echo 'update counter set n = n + 1;' >"$tmp/script"

# A session that stays, and gets its statements one by one.
mkfifo "$tmp/in"
: >"$tmp/answers"
"$programs/psql" -X -A -t -q <"$tmp/in" >"$tmp/answers" 2>"$tmp/errors" &
client=$!
started+=("$client")
exec 9>"$tmp/in"
say() {
	echo "$1; \\echo $2" >&9
	until grep -qx "$2" "$tmp/answers" || ! kill -0 "$client" 2>/dev/null; do sleep 0.01; done
}
say 'select pg_backend_pid()' begun
backend=$(head -n 1 "$tmp/answers")
attach "$backend" 'postgres!standard_ExecutorRun'
say 'do $$ begin for i in 1..300 loop update counter set n = n + 1; end loop; end $$' done_300
detach standard_ExecutorRun
check "standard_ExecutorRun: every call" [ "$calls" = 300 ]
check "standard_ExecutorRun: every return" [ "$returns" = 300 ]
attach "$backend" 'postgres!:postgresql:query__start'
for i in 1 2 3 4 5; do say "select $i" "done_$i"; done
detach query__start
check "query__start: every one" [ "$calls" = 5 ]
check "the session's sum" [ "$(ask 'select n from counter')" = 300 ]

# Errors are jumps out of all calls that are open: those that come after them are whole.
module=pairs
attach "$backend" 'postgres!int4div'
say 'do $$ begin for i in 1..1000 loop begin perform i / (i % 10); exception when division_by_zero then null; end; end loop; end $$' errors_100
detach int4div
module=calls
check "int4div: every call" [ "$calls" = 1000 ]
check "int4div: every return: $returns" [ "$returns" = 900 ]
exec 9>&-
wait "$client"
check "the session's end" [ $? = 0 ] && check "the session's end: no error" [ ! -s "$tmp/errors" ]

# The server process of one of the clients comes and goes with it: the one that starts them all stays. Its children
# are in nobody's count, and right.
start_rounds "$programs/pgbench" -n -f "$tmp/script" -c 2 -t 50
attach "$server_pid" 'postgres!*fork*'
before=$(wc -l <"$tmp/rounds")
while [ "$(wc -l <"$tmp/rounds")" -le $((before + 1)) ] && kill -0 "$load" 2>/dev/null; do sleep 0.01; done
detach "forks"
check "forks: seen" [ "$calls" -gt 0 ]
end_rounds
check "pgbench's sum" [ "$(ask 'select n from counter')" = $((300 + rounds * 100)) ]

# A backend while it works.
"$programs/pgbench" -n -f "$tmp/script" -c 1 -T 1000000 >"$tmp/load" 2>&1 &
load=$!
started+=("$load")
until
	backend=$(ask "select pid from pg_stat_activity where application_name = 'pgbench' and query like 'update%'")
	[ -n "$backend" ] || ! kill -0 "$load" 2>/dev/null
do sleep 0.01; done
updates() { ask 'select n from counter'; }
for ((i = 0; i < times; i++)); do for site in 'postgres!ExecutorRun' 'postgres!heap_*' 'postgres!:postgresql:*' \
	'libc.so.6!mem*'; do
	attach "$backend" "$site"
	before=$(updates)
	until [ "$(updates)" -gt $((before + 2)) ] || ! kill -0 "$load" 2>/dev/null; do sleep 0.01; done
	detach "$site under load"
	check "$site under load: calls seen" [ "$calls" -gt 0 ]
done; done
come_and_die $((3 + times / 4)) "$backend" 'postgres!heap_*'
check "the client was at work all the time" kill -0 "$load"
unharmed "$backend"
kill -INT "$load" 2>/dev/null
kill "$load" 2>/dev/null
wait "$load"
unharmed "$server_pid"
check "no process has crashed" eval '! grep -qE "terminated by signal|PANIC|server process .* exited with" "$tmp/server"'
kill -INT "$server_pid"
wait "$server_pid"
check "the server's end" [ $? = 0 ]
cd / || exit
summary
