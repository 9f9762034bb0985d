# attack: jumps to an import with a buffer in the frame that it has left
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 16], 0
	mov rdx, qword ptr [rdi]
	lea rdi, [rsp - 16]
	mov esi, 8
bad:	jmp qword ptr [rip + ward_read@GOTPCREL]
