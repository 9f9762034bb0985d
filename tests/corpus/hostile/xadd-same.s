# attack: adds a register to itself and takes it for what it was: both destinations are one
# property: P1
# class: two-destinations
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 40
	xadd rax, rax
bad:	mov byte ptr [rsi + rax], 1
	ret
