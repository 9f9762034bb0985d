# attack: stores below the red zone
# property: P3
# expect: V-33 stack-below-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr [rsp - 136], 1
	ret
