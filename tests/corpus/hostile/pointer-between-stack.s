# attack: a loaded pointer is compared with places of the stack
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov qword ptr [rsp - 8], rax
	lea rcx, [rsp - 8]
	cmp rax, rcx
	jb out
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
