#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rows of queries while they run: stream.sh WARD BUSY [SECONDS]. Totals of eight busy threads never step back, and
# differences add up to what there is at the end.
. "$(dirname "$0")/../cli/lib.sh"
cp "$2" "$tmp/busy"
cd "$tmp"
holds() { jq -se "$1" out >/dev/null; }
# The program says on standard error what it did.
did() { jq -e "$1" <(grep '^{' err) >/dev/null; }
run_busy() { run query -q --json "${@:1:$#-1}" -- ./busy 8 "${@: -1}"; }
rows='[.[] | select(.type == "rows")]'

run_busy --every 0.1 \
	'Function("busy!step").Keys(16).GroupBy(arg0).Select(g => new { g.Key, n = g.Count(), s = g.Sum(arg1),
	lo = g.Min(arg1), hi = g.Max(arg1), h = g.Hist(arg1), d = g.Distinct(arg1) })' "${3-1.2}"
check "rows come while it runs" holds "$rows | length > 2 and .[-1].final and all(.[:-1][]; .final == false)"
check "their time ascends" holds "$rows | map(.at) | . == (sort | unique)"
check "no total steps back" holds "$rows"' as $r | [range(1; $r | length) as $i | $r[$i].rows[] as $now |
	($r[$i - 1].rows[] | select(.Key == $now.Key)) as $last |
	$now.n >= $last.n and $now.s >= $last.s and $now.lo <= $last.lo and $now.hi >= $last.hi and
	$now.d >= $last.d and
	([$now.h[].count] | add) >= ([$last.h[].count] | add)] | length > 8 and all'
n=$(jq -s '[.[-1].rows[].n] | add' out) s=$(jq -s '[.[-1].rows[].s] | add' out)
check "the last one has all" did ".count == $n and .sum == $s"
check "and the histogram, too" holds ".[-1].rows | ([.[].h[].count] | add) == $n"

run_busy --every 0.2 --deltas \
	'Function("busy!step").Keys(16).GroupBy(arg0 % 2).Select(g => new { g.Key, n = g.Count(), s = g.Sum(arg1),
	mean = g.Average(arg1), h = g.Hist(arg1, 1000, 2000, 100), hi = g.Max(arg1) })' 1.2
check "differences say so" holds "$rows | length > 2 and all(.[:-1][]; .delta) and .[-1].delta == null"
check "each is about its time alone" holds "$rows | ([.[:-1][].rows[].n] | add) <= ([.[-1].rows[].n] | add)"
check "the second one isn't a total" holds "$rows | [.[1].rows[].n] != [] and
	all(.[1:-1][].rows[]; .mean >= 1000 and .mean < 2000 and (([.h[].count] | add) / .n - 1 | fabs) < 0.01)"
check "means are of sums" holds "$rows | all(.[:-1][].rows[]; (.mean * .n - .s) * (.mean * .n - .s) < .n)"

run query -q --every 0.3 'Function("busy!step").Count()' -- ./busy 2 0.8 100
check "tables for people" [ "$(grep -c '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]' out)" -ge 2 ]
run query -q --live 'Function("busy!step").Count()' -- ./busy 2 0.3 100
check "a view without a terminal is plain" grep -q '^ *count$' out
check "and nothing is drawn" [ "$(grep -c $'\033' out err | grep -vc ':0$')" = 0 ]
run query --csv --every 1 'Function("busy!step").Count()' -- ./busy 1 0.1
check "CSV has the final rows" [ "$status" = 2 ]
run query --every 0.05 'Function("busy!step").Count()' -- ./busy 1 0.1
check "not more often than 0.1 s" [ "$status" = 2 ]

# On a terminal: keys sort, pause and end; what was there before is there again.
./busy 2 60 1000 2>/dev/null &
started+=($!)
python3 - "$ward" $! >out 2>err <<'P'
import os, pty, re, select, sys, time
ward, target = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(ward, [ward, "query", "-q", "--live", "--every", "0.2", "-p", target,
                    'Function("busy!step").GroupBy(arg0).Select(g => new { g.Key, n = g.Count() })'
                    '.OrderByDescending(Key)'])
said = b""
def read_until(what, seconds=60):
    global said
    end = time.time() + seconds
    while not re.search(what, said):
        if time.time() > end or not select.select([fd], [], [], max(0, end - time.time()))[0]:
            raise SystemExit(f"never came: {what}: {said[-2000:]}")
        try:
            said += os.read(fd, 65536)
        except OSError:
            raise SystemExit(f"it ended: {what}: {said[-2000:]}")
def forget():
    global said
    said = b""
read_until(rb"\x1b\[\?1049h")
read_until(rb"Key +n[^\n]*\r\n +7 ")
print("drawn")
forget(); os.write(fd, b"s"); read_until(rb"Key +n[^\n]*\r\n +7 ")
forget(); os.write(fd, b"p"); read_until(rb"paused")
print("paused")
forget(); os.write(fd, b"p"); os.write(fd, b"q"); read_until(rb"\x1b\[\?1049l")
print("restored")
_, status = os.waitpid(pid, 0)
print("status", os.waitstatus_to_exitcode(status))
P
check "a view on a terminal" grep -q '^drawn$' out
check "it pauses" grep -q '^paused$' out
check "q gives the terminal back" grep -q '^restored$' out
check "and ends the query" grep -q '^status 0$' out

# Bounds on time: the query ends by itself, and what comes before its beginning isn't seen.
now() { date +%s%N; }
before=$(now)
run query -q --json -p "${started[0]}" 'Function("busy!step").Where(time < Now.AddSeconds(2)).Count()'
took=$((($(now) - before) / 1000000))
check "it ends by itself" holds '.[-1] | .final and .rows[0].count > 0'
check "after two seconds, and not before (it took $took ms)" [ "$took" -ge 1950 -a "$took" -lt 20000 ]
run detach -p "${started[0]}"
check "it leaves no probe" grep -q 'nothing' out err
before=$(now)
run query -q --json -p "${started[0]}" 'Function("busy!step")
	.Where(arg0 == 0 && time >= Now.AddMilliseconds(900) && time < Now.AddMilliseconds(1200)).Select(time)'
took=$((($(now) - before) / 1000000))
times='[.[] | select(.type == "row") | .row.value]'
check "a beginning that is yet to come" holds "$times | length > 0 and min / 1e6 >= $before / 1e6 + 890"
check "and an end behind it (it took $took ms)" [ "$took" -ge 1150 ]
check "a beginning that was" "$ward" query --explain 'Function("a!b").Where(time > Now.AddSeconds(-5)).Count()' >out
check "isn't tested" [ "$(grep -c 'ev->time' out)" = 0 ]
"$ward" query -q -p "${started[0]}" 'Function("busy!step").Where(time > Now.AddHours(1)).Count()' >out 2>err &
early=$!
started+=($early)
# before it is ward, it is a shell that cleans up when it ends
until [ "$(cat /proc/$early/comm)" = ward ] &&
	[ "$((0x$(sed -n 's/^SigCgt:\s*//p' "/proc/$early/status") & 2))" != 0 ]; do
	sleep 0.02
done
kill -INT $early
status=0
wait $early || status=$?
check "one that waits for its beginning ends at once" [ "$status" = 130 ]
run detach -p "${started[0]}"
check "nothing is left" grep -q 'nothing' out err
summary
