# attack: fills the stack up to the return address
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rdi, [rsp - 64]
	xor eax, eax
	mov ecx, 9
bad:	rep stosq
	ret
