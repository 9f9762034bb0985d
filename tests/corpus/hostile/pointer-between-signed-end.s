# attack: a loaded pointer is compared with the last place as a signed number
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
	jb out
	lea rcx, [rsi + 56]
	cmp rax, rcx
	jg out
bad:	mov qword ptr [rax], 1
out:	ret
