# attack: jumps to an import with something on the stack
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
	mov edi, 0
bad:	jmp qword ptr [rip + ward_clock@GOTPCREL]
