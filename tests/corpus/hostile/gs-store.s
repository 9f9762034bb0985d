# attack: stores relative to gs
# property: P1
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr gs:[rsi], 1
	ret
