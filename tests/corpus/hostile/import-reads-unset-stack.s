# attack: has an import look at stack bytes that the probe has not set
# property: P9
# expect: V-73 buffer-not-set bad
# state: 64
# allow: ward_match
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 16
	mov qword ptr [rsp], 1
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 9
bad:	call qword ptr [rip + ward_match@GOTPCREL]
	add rsp, 16
	ret
