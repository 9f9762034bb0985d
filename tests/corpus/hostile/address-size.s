# attack: an address of 32 bits
# property: P1
# class: prefix-games address-size-override
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov byte ptr [esi], 1
	ret
