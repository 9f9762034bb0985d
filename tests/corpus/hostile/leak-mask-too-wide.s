# attack: masks nine bits of a register whose low byte alone was set, and stores them
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
