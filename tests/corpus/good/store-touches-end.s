# shows: an eight-byte store whose last byte is the last of the state; nothing need be aligned
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsi + 56], 1
	mov qword ptr [rsi + 53], 1
	ret
