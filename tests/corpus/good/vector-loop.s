# shows: a vector register that lives through a loop
# rules: V-60 V-62
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
	xor eax, eax
again:	paddq xmm0, xmmword ptr [rsi + rax]
	add rax, 16
	cmp rax, 64
	jne again
	movups xmmword ptr [rsi], xmm0
	ret
