#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# python3 as an interpreter of what it is sent.
. "$(dirname "$0")/lib.sh"

python=/usr/bin/python3
[ -x $python ] || missing python3
mkfifo "$tmp/in"
: >"$tmp/answers"
$python -u -c '
import sys, threading
def work(n):
	return sum(int(str(i)) for i in range(n))
def threads(n):
	sums = [0] * 4
	def run(k):
		sums[k] = work(n)
	all = [threading.Thread(target=run, args=(k,)) for k in range(4)]
	for t in all: t.start()
	for t in all: t.join()
	return sum(sums)
for line in sys.stdin:
	print(eval(line))
' <"$tmp/in" >"$tmp/answers" 2>"$tmp/errors" &
python_pid=$!
started+=("$python_pid")
exec 9>"$tmp/in"
asked=0
ask() {
	asked=$((asked + 1))
	echo "$1" >&9
	while [ "$(wc -l <"$tmp/answers")" -lt $asked ] && kill -0 "$python_pid" 2>/dev/null; do sleep 0.01; done
}
answer() { tail -n 1 "$tmp/answers"; }

ask 'work(10)'
name=$(basename "$(readlink "/proc/$python_pid/exe")")
attach "$python_pid" "$name!PyLong_FromUnicodeObject"
ask 'work(20000)'
detach PyLong_FromUnicodeObject
check "PyLong_FromUnicodeObject: every call" [ "$calls" = 20000 ]
check "PyLong_FromUnicodeObject: every return" [ "$returns" = 20000 ]
check "PyLong_FromUnicodeObject: the answer" [ "$(answer)" = 199990000 ]
attach "$python_pid" "$name!PyLong_FromUnicodeObject"
ask 'threads(5000)'
detach 'of four threads'
check "of four threads: every call" [ "$calls" = 20000 ]
check "of four threads: the answer" [ "$(answer)" = 49990000 ]

round() { ask 'threads(500)'; [ "$(answer)" = 499000 ]; }
start_rounds round
come_and_go $times "$python_pid" "$name!PyObject_*" "$name!_PyEval_EvalFrameDefault" "$name!PyLong_*" 'libc.so.6!mem*'
end_rounds
stir() { ask 'threads(100)'; }
unharmed "$python_pid" kept
exec 9>&-
wait "$python_pid"
check "its end" [ $? = 0 ]
check "no error" [ ! -s "$tmp/errors" ]
summary
