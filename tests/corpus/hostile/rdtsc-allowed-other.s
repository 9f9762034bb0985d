# attack: reads the time stamp counter with permission for something else
# property: P4
# expect: V-13 feature-not-granted -
# state: 64
# allow: rdtscp
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	rdtscp
	mov dword ptr [rsi], ecx
	ret
