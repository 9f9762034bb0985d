# attack: loads no slot but calls what the event says
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	call rax
	ret
