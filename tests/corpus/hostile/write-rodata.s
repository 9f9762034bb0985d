# attack: stores to a constant
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov dword ptr [rip + constant], 7
	ret
	.section .rodata, "a"
constant:
	.long 3, 4
