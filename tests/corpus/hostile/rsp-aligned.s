# attack: aligns rsp by a mask: its distance is no longer known
# property: P3
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	and rsp, -16
	ret
