# attack: lends an import a buffer below rsp, where its own return address will be
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	lea rdi, [rsp - 8]
	mov esi, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
