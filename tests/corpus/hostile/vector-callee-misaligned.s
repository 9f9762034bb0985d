# attack: a function that relies on an aligned stack is called with a misaligned one
# property: P10
# expect: V-37 call-misaligns-stack probe
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call callee
	ret
callee:
	pxor xmm0, xmm0
	movaps xmmword ptr [rsp - 24], xmm0
	ret
