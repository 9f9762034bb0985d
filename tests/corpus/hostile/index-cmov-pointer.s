# attack: an index that may be an address
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	xor eax, eax
	test rdx, rdx
	cmove rax, rsi
bad:	mov byte ptr [rsi + rax], 1
	ret
