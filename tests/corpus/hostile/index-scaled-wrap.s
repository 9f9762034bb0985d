# attack: an index whose scaled value wraps around 2^64
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 1
	shl rcx, 61
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rsi + rax*8], 1
out:	ret
