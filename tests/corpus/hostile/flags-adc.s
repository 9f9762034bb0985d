# attack: adc of the carry that the host left
# property: P9
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	adc eax, 0
	mov dword ptr [rsi], eax
	ret
