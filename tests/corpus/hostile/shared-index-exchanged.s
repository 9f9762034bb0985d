# attack: what was exchanged successfully is there no longer when it is loaded again
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ecx, 5
	lock cmpxchg qword ptr [rip + shared], rcx
	jne out
	mov rax, qword ptr [rip + shared]
bad:	mov byte ptr [rsi + rax], 1
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
