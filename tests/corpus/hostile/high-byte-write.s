# attack: writes the second byte of a register
# property: P4
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
bad:	mov ah, 1
	mov qword ptr [rsi], rax
	ret
