# attack: a call of a function that is a jump through a constant
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call bad
	xor edi, edi
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
bad:	jmp qword ptr [rip + constant]
	.section .rodata, "a"
constant:
	.quad 0x401000
