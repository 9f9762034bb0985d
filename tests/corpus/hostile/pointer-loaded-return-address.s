# attack: a loaded pointer turns out to point into the stack, at the return address
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsp
	cmp rcx, 8
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
