# attack: reads the time stamp counter without permission
# property: P4
# expect: V-13 feature-not-granted -
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	rdtsc
	mov dword ptr [rsi], eax
	ret
