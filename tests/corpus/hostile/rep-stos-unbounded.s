# attack: a count that is never bounded
# property: P8
# expect: V-63 repeats-too-often bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rdi, rsi
	xor eax, eax
bad:	rep stosb
	ret
