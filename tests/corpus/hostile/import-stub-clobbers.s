# attack: relies on a register that the import behind a stub may change
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
	call ward_clock@PLT
	pop rsi
bad:	mov qword ptr [rsi], rcx
	ret
