# shows: constants that fill their page, so that the first byte of data is where they end
# rules: V-30 V-32
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rax, [rip + constants]
	mov rcx, qword ptr [rax]
	add qword ptr [rip + count], rcx
	ret
	.section .rodata, "a"
	.balign 8
constants:
	.zero 4096
	.data
	.balign 8
count:	.quad 1
