#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# python3 with greenlets, which lie suspended in calls of one C function at one depth, their stacks copied away. What
# an object's __add__ returns is the object.
. "$(dirname "$0")/lib.sh"

python=/usr/bin/python3
[ -x $python ] && $python -c 'import greenlet' 2>/dev/null || missing python3-greenlet
cat >"$tmp/switches.py" <<'EOP'
import greenlet, operator
class Self:
	def __add__(self, i):
		if i % 3: main.switch()
		return self
def run(me):
	for i in range(1000):
		assert operator.add(me, i) is me
main = greenlet.getcurrent()
all = [greenlet.greenlet(run) for _ in range(4)]
for g in all: g.switch(Self())
while any(all):
	for g in all:
		if g: g.switch()
EOP
run trace -f 'python3*!PyNumber_Add' --json -o "$tmp/results" "$tmp/pairs.ward" -- $python "$tmp/switches.py"
check "python3: status" [ "$status" = 0 ]
value() { jq -r "select(.field == \"$1\") | .value" "$tmp/results"; }
check "every call returns" [ "$(value calls)" = "$(value returns)" ]
check "every call of the greenlets' got its own argument: $(value same)" [ "$(value same)" = 4000 ]
summary
