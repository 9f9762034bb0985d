# attack: loads the control register of floating point
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	ldmxcsr dword ptr [rsi]
	ret
