# attack: branches into the middle of another function, which then runs into it
# property: P6
# expect: V-24 falls-into-other-function middle
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	jmp middle
	.globl other
	.type other, @function
other:
	mov byte ptr [rsi], 1
middle:	mov byte ptr [rsi], 2
	ret
