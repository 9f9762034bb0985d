# shows: reads a constant, the last four bytes of the read-only data
# rules: V-32 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rip + constant + 4]
	mov dword ptr [rsi], eax
	ret
	.section .rodata, "a"
constant:
	.long 3, 4
