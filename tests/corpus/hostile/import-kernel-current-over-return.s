# attack: the import for the running task writes into a frame that is too short, over the return address
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_kernel_current
# profile: kernel
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 40
	lea rdi, [rsp + 8]
	mov esi, 40
bad:	call qword ptr [rip + ward_kernel_current@GOTPCREL]
	add rsp, 40
	ret
