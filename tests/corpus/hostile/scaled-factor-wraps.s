# attack: a factor of 2^32 + 2 is not two
# property: P1
# expect: V-31 store-outside-region bad
# state: 2
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 1
	ja out
	mov rax, rcx
	shl rax, 31
	lea rdx, [rcx + rcx]
	add rdx, rax
	add rdx, rax
	sub rdx, rcx
	shr rdx, 31
bad:	mov byte ptr [rsi + rdx], 1
out:
	ret
