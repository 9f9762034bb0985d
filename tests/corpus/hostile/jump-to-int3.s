# attack: jumps to padding
# property: P6
# expect: V-24 padding-reached pad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rsi], 1
	jmp pad
	int3
pad:	int3
