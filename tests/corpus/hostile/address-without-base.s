# attack: an absolute address in the module file is no address in memory
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov byte ptr [0x1000], 1
	ret
