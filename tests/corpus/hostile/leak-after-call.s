# attack: reads a register that the callee may have left anything in
# property: P9
# expect: V-35 store-of-host-value bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov eax, 1
	call callee
	pop rsi
bad:	mov qword ptr [rsi], rax
	ret
callee:	mov rax, rbx
	ret
