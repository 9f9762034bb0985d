// SPDX-License-Identifier: Apache-2.0
// Keeps compiled code, the interpreter and the garbage collector busy.
let kept = [];

for (;;) {
	kept.push(JSON.stringify({ x: Math.random() }));
	if (kept.length > 10000) {
		kept.sort();
		kept = [];
	}
}
