# shows: sets the low byte of a register and stores that
# rules: V-50
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, 1
	mov byte ptr [rsi], al
	ret
