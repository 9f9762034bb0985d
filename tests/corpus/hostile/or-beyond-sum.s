# attack: the bits of two numbers may add up to one more than there are bytes
# property: P1
# expect: V-31 store-outside-region bad
# state: 319
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, eax
	and ecx, 31
	shr rax, 60
	cmp rax, 9
	ja out
	shl rax, 5
	or rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
out:	ret
