# shows: a locked access to the stack, which must be aligned with alignment checks off, too
# rules: V-36 V-51
# state: 64
# needs: rsp-aligned
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push 5
	mov eax, 3
	lock xadd qword ptr [rsp], rax
	pop rcx
	mov qword ptr [rsi], rcx
	ret
