# attack: a copy in the stack of a loaded pointer stands 8 bytes before what was checked
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov qword ptr [rsp - 8], rax
	add rax, 8
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
	mov rdx, qword ptr [rsp - 8]
bad:	mov qword ptr [rdx], 1
out:	ret
