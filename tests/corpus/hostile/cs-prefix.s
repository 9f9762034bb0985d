# attack: a meaningless segment prefix on a store
# property: P4
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	.byte 0x2e
	mov byte ptr [rsi], 1
	ret
