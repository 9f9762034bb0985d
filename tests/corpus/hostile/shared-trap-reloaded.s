# attack: a trap that is reached if another thread changes the number between two comparisons
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp qword ptr [rip + shared], 5
	jne out
	cmp qword ptr [rip + shared], 5
	je out
bad:	ud2
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
