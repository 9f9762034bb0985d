# attack: a length of minus one, or less, for a buffer in the stack
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_match
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 64
	mov rdx, qword ptr [rdi]
	mov esi, dword ptr [rdi + 8]
	or rsi, -64
	mov rdi, rsp
bad:	call qword ptr [rip + ward_match@GOTPCREL]
	add rsp, 64
	ret
