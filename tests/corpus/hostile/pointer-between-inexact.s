# attack: a loaded pointer is compared with somewhere in the state
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov ecx, dword ptr [rdi]
	and ecx, 31
	add rcx, rsi
	cmp rax, rcx
	jb out
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
