# attack: loads a slot, which holds an address of the host's
# property: P9
# expect: V-72 read-of-import-slot bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsi + 8], 0
bad:	mov rax, qword ptr [rip + constant + 8]
	mov qword ptr [rsi], rax
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
	.section .rodata, "a"
constant:
	.quad 0
