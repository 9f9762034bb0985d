# attack: masks a register of which only the low byte was set with nine bits, and stores them
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, byte ptr [rdi]
	and eax, 0x1ff
bad:	mov dword ptr [rsi], eax
	ret
