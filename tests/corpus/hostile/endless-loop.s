# attack: jumps to itself
# property: P8
# expect: V-62 loop-not-bounded head
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
head:	jmp head
