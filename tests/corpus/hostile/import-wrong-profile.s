# attack: an import of the user profile in a module for the kernel
# property: P2
# expect: V-71 import-not-in-profile -
# state: 64
# allow: ward_read
# profile: kernel
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov esi, 8
	call qword ptr [rip + ward_read@GOTPCREL]
	ret
