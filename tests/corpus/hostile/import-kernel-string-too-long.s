# attack: a string is read into a buffer that is longer than the state
# property: P1
# expect: V-73 buffer-outside-region bad
# state: 64
# allow: ward_kernel_read_str
# profile: kernel
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	lea rdi, [rsi + 8]
	mov esi, 57
bad:	call qword ptr [rip + ward_kernel_read_str@GOTPCREL]
	ret
