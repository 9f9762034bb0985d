# attack: jumps to a function that always traps
# property: P10
# expect: V-54 trap-reachable panic
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp dword ptr [rdi], 5
	ja panic
	call panic2
	ret
panic2:	ret
	.globl panic
	.type panic, @function
panic:	ud2
