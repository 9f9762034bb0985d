# shows: the last byte of the state may be stored to
# rules: V-31 V-30
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rsi + 63], 1
	ret
