# attack: the import for the running task writes into the last bytes of the state, and one beyond
# property: P1
# expect: V-73 buffer-outside-region bad
# state: 64
# allow: ward_kernel_current
# profile: kernel
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rdi, [rsi + 25]
	mov esi, 40
bad:	call qword ptr [rip + ward_kernel_current@GOTPCREL]
	ret
