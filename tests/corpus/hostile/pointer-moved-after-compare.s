# attack: a pointer is compared with the end, then moved
# property: P1
# class: pointer-after-compare
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 127
	add rax, rsi
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
	add rax, 8
bad:	mov qword ptr [rax], 1
out:	ret
