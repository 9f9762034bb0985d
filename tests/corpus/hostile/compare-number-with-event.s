# attack: an equality with the address of the event tells nothing of a number
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp rax, rdi
	jne out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
