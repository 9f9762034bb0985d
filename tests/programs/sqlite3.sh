#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The sqlite3 shell, which is given its statements one by one.
. "$(dirname "$0")/lib.sh"

shell=$(command -v sqlite3) || missing sqlite3
mkfifo "$tmp/in"
: >"$tmp/answers"
"$shell" -batch -bail :memory: <"$tmp/in" >"$tmp/answers" 2>"$tmp/errors" &
shell_pid=$!
started+=("$shell_pid")
exec 9>"$tmp/in"
asked=0
# One line for each statement.
ask() {
	asked=$((asked + 1))
	echo "$1" >&9
	while [ "$(wc -l <"$tmp/answers")" -lt $asked ] && kill -0 "$shell_pid" 2>/dev/null; do sleep 0.01; done
}
answer() { tail -n 1 "$tmp/answers"; }
sum='select count(*) from (with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) select length(x) from c where abs(x) > 0);'

ask 'select 1;'
attach "$shell_pid" 'libsqlite3.so.0!sqlite3_value_numeric_type'
ask "$sum"
detach sqlite3_value_numeric_type
check "sqlite3_value_numeric_type: the answer" [ "$(answer)" = 20000 ]
attach "$shell_pid" 'libsqlite3.so.0!sqlite3_result_int64'
ask "$sum"
ask 'select 2;'
detach sqlite3_result_int64
# abs() of each row, and count() of all.
check "sqlite3_result_int64: every call" [ "$calls" = 20001 ]
check "sqlite3_result_int64: every return" [ "$returns" = 20001 ]

round() { ask "$sum"; [ "$(answer)" = 20000 ]; }
start_rounds round
come_and_go $times "$shell_pid" 'libsqlite3.so.0!sqlite3_value_*' 'libsqlite3.so.0!sqlite3_*' 'libc.so.6!*alloc*'
end_rounds
unharmed "$shell_pid"
echo 'select 3;' >&9
exec 9>&-
wait "$shell_pid"
check "its end" [ $? = 0 ]
check "its last answer" [ "$(answer)" = 3 ]
check "no error" [ ! -s "$tmp/errors" ]
summary
