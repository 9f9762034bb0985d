# attack: xchg with memory locks without saying so
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	xchg dword ptr [rsi + 2], eax
	ret
