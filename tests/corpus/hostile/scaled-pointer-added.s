# attack: a pointer to eight times a number, and the number again: the address is no multiple of it
# property: P1
# expect: V-31 store-outside-region bad
# state: 400
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	lea rdx, [rsi + rcx*8]
	lea rdx, [rdx + rcx*2]
	sub rdx, rcx
bad:	mov byte ptr [rdx], 1
out:
	ret
