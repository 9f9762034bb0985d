# attack: a loaded pointer is compared with the first place as a signed number
# property: P1
# class: signed-unsigned
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rsi
	jl out
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
