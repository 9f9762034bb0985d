# shows: an import leaves vector registers alone
# rules: V-50 V-73
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov rbx, rsi
	movups xmm9, xmmword ptr [rsi + 4]
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	movups xmmword ptr [rbx + 24], xmm9
	pop rbx
	ret
