# attack: a loaded pointer's distance from the event is compared with the state's size
# property: P1
# expect: V-31 load-outside-region bad
# state: 4096
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rdi
	cmp rcx, 4088
	ja out
bad:	mov rdx, qword ptr [rax]
out:	ret
