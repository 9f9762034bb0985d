# attack: stores a register after an import that may have changed it
# property: P9
# expect: V-35 store-of-host-value bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov ecx, 1
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	pop rsi
bad:	mov qword ptr [rsi], rcx
	ret
