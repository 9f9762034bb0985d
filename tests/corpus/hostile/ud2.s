# attack: raises an invalid-opcode fault
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	ud2
