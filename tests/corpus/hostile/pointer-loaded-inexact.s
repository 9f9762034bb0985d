# attack: a loaded pointer's distance from somewhere in the state is compared
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov r8d, dword ptr [rdi]
	and r8d, 31
	add r8, rsi
	mov rcx, rax
	sub rcx, r8
	cmp rcx, 31
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
