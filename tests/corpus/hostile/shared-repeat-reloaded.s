# attack: how often to store is in shared data, checked and loaded again
# property: P8
# expect: V-63 repeats-too-often bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp qword ptr [rip + shared], 8
	ja out
	mov rdi, rsi
	xor eax, eax
	mov rcx, qword ptr [rip + shared]
bad:	rep stosq
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
