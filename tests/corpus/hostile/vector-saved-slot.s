# attack: sixteen bytes loaded, eight of them a saved register
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	push rsi
bad:	movups xmm0, xmmword ptr [rsp]
	movups xmmword ptr [rsi], xmm0
	pop rsi
	pop rbx
	ret
