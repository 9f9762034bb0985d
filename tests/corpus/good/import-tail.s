# shows: leaves by jumping to an import, in a callee too
# rules: V-22 V-23 V-42
# state: 64
# allow: ward_read ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	call callee
	mov edi, 0
	jmp qword ptr [rip + ward_clock@GOTPCREL]
callee:	mov esi, 64
	jmp qword ptr [rip + ward_read@GOTPCREL]
