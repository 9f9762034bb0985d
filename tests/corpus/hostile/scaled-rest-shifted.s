# attack: sixteen times a number and one, doubled, less twice the number: two are added, not one
# property: P1
# expect: V-31 store-outside-region bad
# state: 451
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 15
	ja out
	lea rax, [rcx + rcx]
	lea rdx, [rax*8 + 1]
	shl rdx, 1
	sub rdx, rax
bad:	mov byte ptr [rsi + rdx], 1
out:
	ret
