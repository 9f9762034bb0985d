# attack: moves rsp by four
# property: P4
# expect: V-40 stack-pointer-misaligned bad
# expect: V-40 stack-pointer-above-entry again
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	sub rsp, 4
again:	add rsp, 4
	ret
