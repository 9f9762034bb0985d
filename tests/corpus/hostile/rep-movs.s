# attack: copies once, without rep
# property: P4
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, 64
bad:	movsb
	ret
