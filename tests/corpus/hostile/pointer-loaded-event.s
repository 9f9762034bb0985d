# attack: a loaded pointer turns out to point into the event, and is stored through
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rdi
	cmp rcx, 8
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
