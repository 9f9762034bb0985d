# attack: a function that starts like a stub except for its first byte, with an immediate in place of the distance
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	call callee
	xor edi, edi
	jmp qword ptr [rip + ward_clock@GOTPCREL]
callee:	.byte 0x48, 0x25
	.long 0x1000 - (callee - probe) - 6
bad:	mov byte ptr [rsi + rax], 1
	ret
