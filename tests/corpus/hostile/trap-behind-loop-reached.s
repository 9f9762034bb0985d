# attack: the trap is behind a loop, at a lower address than the edge into the loop
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	jmp start
again:	dec ecx
	jne again
bad:	ud2
start:	mov ecx, 4
	jmp again
