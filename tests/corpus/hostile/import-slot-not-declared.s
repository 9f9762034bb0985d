# attack: calls through a constant
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call qword ptr [rip + constant]
	ret
	.section .rodata, "a"
constant:
	.quad 0x401000
