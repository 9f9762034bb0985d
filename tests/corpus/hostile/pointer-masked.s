# attack: a pointer aligned down by a mask may leave its region
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	and rax, -4096
bad:	mov byte ptr [rax], 1
	ret
