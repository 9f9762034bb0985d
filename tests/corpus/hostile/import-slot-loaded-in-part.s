# attack: loads one byte of a slot by an index that only just reaches it
# property: P9
# expect: V-72 read-of-import-slot bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 8
	lea rcx, [rip + constant]
bad:	movzx eax, byte ptr [rcx + rax]
	mov byte ptr [rsi], al
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
	.section .rodata, "a"
constant:
	.quad 0
