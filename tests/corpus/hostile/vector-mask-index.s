# attack: sixteen sign bits as an index
# property: P1
# expect: V-31 store-outside-region bad
# state: 65535
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movups xmm0, xmmword ptr [rsi]
	pmovmskb eax, xmm0
bad:	mov byte ptr [rsi + rax], 1
	ret
