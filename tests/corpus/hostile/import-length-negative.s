# attack: a length that a signed comparison bounds from above only
# property: P2
# class: signed-unsigned
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
	cmp rax, 64
	jg out
	mov rdi, rsi
	mov rsi, rax
bad:	call qword ptr [rip + ward_read@GOTPCREL]
out:	ret
