# attack: a loaded pointer isn't below the state; then it is moved back, isn't above the last place either, and may be before the state
# property: P1
# class: pointer-after-compare
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rsi
	jb out
	sub rax, 16
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
