# attack: sixteen bytes over a saved register, which is then restored
# property: P5
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	pxor xmm0, xmm0
	movups xmmword ptr [rsp - 8], xmm0
	pop rbx
bad:	ret
