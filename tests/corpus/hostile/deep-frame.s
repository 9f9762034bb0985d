# attack: a frame larger than the limit
# property: P3
# expect: V-41 stack-too-deep bad
# expect: V-40 stack-pointer-above-entry after
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	sub rsp, 4104
after:	add rsp, 4104
	ret
