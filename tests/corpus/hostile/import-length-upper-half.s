# attack: a length whose low half alone was compared
# property: P2
# class: zero-extension-32
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
	cmp eax, 64
	ja out
	mov rdi, rsi
	mov rsi, rax
bad:	call qword ptr [rip + ward_read@GOTPCREL]
out:	ret
