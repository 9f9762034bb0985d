# attack: bsr with an F3 prefix is lzcnt on newer processors
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	lzcnt ecx, eax
	mov dword ptr [rsi], ecx
	ret
