# shows: a copy of the pointer, moved by a constant, and another in a stack slot: all are pointers
# rules: V-30 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea rdx, [rax + 8]
	mov qword ptr [rsp - 16], rax
	sub rax, rsi
	cmp rax, 48
	ja out
	mov rcx, qword ptr [rsp - 16]
	mov qword ptr [rdx], 1
	mov qword ptr [rcx], 2
out:	ret
