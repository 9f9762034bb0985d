# shows: an import of the host's may have string instructions
# rules: V-70 V-73
# state: 64
# allow: ward_clock
# needs: df-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 1
	call qword ptr [rip + ward_clock@GOTPCREL]
	pop rsi
	mov qword ptr [rsi], rax
	ret
