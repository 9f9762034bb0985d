# attack: a buffer as long as the event says
# property: P2
# expect: V-73 buffer-outside-region bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rax, qword ptr [rdi + 8]
	mov rdi, rsi
	mov rsi, rax
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
