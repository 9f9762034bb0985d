# attack: a loaded pointer is above the start of the event, and below the end of the state
# property: P1
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rdi
	jb out
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
bad:	mov rcx, qword ptr [rax]
out:	ret
