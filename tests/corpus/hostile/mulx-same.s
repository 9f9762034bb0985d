# attack: mulx with one register twice: the upper half stays
# property: P1
# class: two-destinations
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edx, 0x10000
	mov ecx, 0x100000
	mulx eax, eax, ecx
bad:	mov qword ptr [rsi + rax*8], rcx
	ret
