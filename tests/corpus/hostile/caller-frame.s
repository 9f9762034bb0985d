# attack: stores to the frame of its caller
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr [rsp + 8], 1
	ret
