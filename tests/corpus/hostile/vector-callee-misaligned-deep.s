# attack: a stack is misaligned, and aligned accesses are two calls away
# property: P10
# expect: V-37 call-misaligns-stack probe
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call middle
	ret
middle:
	push rax
	call callee
	pop rax
	ret
callee:
	pxor xmm0, xmm0
	movaps xmmword ptr [rsp - 24], xmm0
	ret
