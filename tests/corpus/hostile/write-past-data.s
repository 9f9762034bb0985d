# attack: stores past the module data
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rax, [rip + counter]
bad:	mov dword ptr [rax + 4], 7
	ret
	.data
counter:
	.long 0
