# attack: has an import write as much to the stack as the event says
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 64
	mov rdx, qword ptr [rdi]
	mov rsi, qword ptr [rdi + 8]
	mov rdi, rsp
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	add rsp, 64
	ret
