# attack: a compare of 16 bits says nothing of the rest
# property: P1
# class: bounds-32-64
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp ax, 63
	ja out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
