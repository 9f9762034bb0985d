# attack: jumps to the first byte after the text
# property: P6
# expect: V-20 branch-outside-text bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rsi], 1
bad:	jmp after
after:
