# shows: measures how long a part of it takes, with permission
# rules: V-13
# state: 64
# allow: rdtsc
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	rdtsc
	mov r8d, eax
	inc qword ptr [rsi]
	rdtscp
	sub eax, r8d
	mov dword ptr [rsi + 8], eax
	ret
