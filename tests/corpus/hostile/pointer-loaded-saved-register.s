# attack: a loaded pointer turns out to point into the stack, perhaps at a saved register
# property: P3
# expect: V-34 store-over-saved-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	sub rsp, 8
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsp
	cmp rcx, 8
	ja out
bad:	mov qword ptr [rax], 1
out:	add rsp, 8
	pop rcx
	ret
