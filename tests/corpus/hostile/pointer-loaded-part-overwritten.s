# attack: a loaded pointer is spilled, checked, overwritten in part, and taken back
# property: P1
# class: slot-overwritten spilled-pointer-overwritten
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov qword ptr [rsp - 8], rax
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
	mov byte ptr [rsp - 8], 64
	mov rax, qword ptr [rsp - 8]
bad:	mov qword ptr [rax], 1
out:	ret
