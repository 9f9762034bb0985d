# attack: a loaded pointer below the state is above it
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rsi
	jae out
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
