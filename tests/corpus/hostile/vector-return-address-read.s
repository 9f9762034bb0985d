# attack: the return address is loaded with the bytes below it
# property: P9
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
bad:	movups xmm0, xmmword ptr [rsp - 8]
	movups xmmword ptr [rsi], xmm0
	ret
