#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a result lacks is said: complete.sh WARD TAIL BUSY.
. "$(dirname "$0")/../cli/lib.sh"
cp "$2" "$tmp/tail"
cp "$3" "$tmp/busy"
cd "$tmp"
holds() { jq -se "$1" out >/dev/null; }

# A pattern, one function of which can't be probed.
run query -o rows 'Function("tail!tail_*").CountBy(site)' -- ./tail 100
check "a line on standard error" grep -q \
	'^skipped tail!tail_alone: the function is shorter than the five bytes of a jump' err
check "and one below the rows" grep -qx '1 site matches and can.t be probed' rows
run query --json -o out.json 'Function("tail!tail_*").CountBy(site)' -- ./tail 100
mv out.json out
check "it isn't complete" holds '.[-1] | .final and .complete == false
	and .lacks == ["1 site matches and can'"'"'t be probed"] and (.rows | length) > 0'
check "the site, and why" holds \
	'any(.[]; .type == "skip" and .site == "tail!tail_alone" and (.reason | test("five bytes")))'

run query --json -q --every 0.2 'Function("busy!step").Where(arg0 < 0x7fffffff).Count()' -- ./busy 4 0.5 500
check "a whole answer" holds 'all(.[] | select(.type == "rows"); .complete and .lacks == [])'
run query --csv 'Function("tail!tail_*").CountBy(site)' -- ./tail 100
check "CSV has it on standard error" grep -q '^1 site matches and can.t be probed$' err
run query --json -q --every 0.2 'Function("busy!step").CountBy(8 / arg0)' -- ./busy 2 0.6 500
check "what is lacking so far is said on the way" holds '[.[] | select(.type == "rows")] | length > 1 and
	all(.[]; .complete == false and (.lacks[0] | test("left out: a division by zero$")))'
summary
