# attack: a loaded pointer is above the state and below somewhere in it
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rsi
	jb out
	mov ecx, dword ptr [rdi]
	and ecx, 63
	add rcx, rsi
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
