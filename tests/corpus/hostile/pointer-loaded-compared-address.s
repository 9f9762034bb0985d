# attack: a loaded pointer, its distance computed, is itself compared with the end of the state: it may lie before it
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	lea rdx, [rsi + 56]
	cmp rax, rdx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
