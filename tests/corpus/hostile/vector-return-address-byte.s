# attack: one of sixteen bytes stored is the return address's
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	pxor xmm0, xmm0
bad:	movups xmmword ptr [rsp - 15], xmm0
	ret
