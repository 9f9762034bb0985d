# attack: a jump to a stub with something on the stack
# property: P3
# expect: V-23 return-with-unbalanced-stack bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	xor edi, edi
	call ward_clock@PLT
	mov edi, 0
bad:	jmp ward_clock@PLT
