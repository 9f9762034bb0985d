# shows: a pointer that ranks a loop is made anew from another one, which has become equal to it
# rules: V-31 V-62
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
	add rax, 12
	cmp rax, r8
	jne inner
	lea r8, [rax + 4]
	cmp r8, r10
	jne outer
	ret
