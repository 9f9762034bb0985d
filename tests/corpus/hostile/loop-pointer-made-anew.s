# attack: a pointer that ranks a loop is made anew from another one, which may be less by more than it is moved
# property: P8
# expect: V-31 load-outside-region inner
# expect: V-31 store-outside-region inner
# expect: V-62 loop-not-bounded back1
# expect: V-62 loop-not-bounded back
# state: 48
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea r8, [rsi + 24]
	lea r10, [rsi + 48]
outer:	lea rax, [r8 - 24]
inner:	inc dword ptr [rax]
	je anew
	add rax, 12
	cmp rax, r8
back1:	jne inner
anew:	lea r8, [rax + 4]
	cmp r8, r10
back:	jne outer
	ret
