# attack: a loaded pointer is above a place, and the access is made before it
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea rdx, [rsi + 8]
	cmp rax, rdx
	jb out
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax - 9], 1
out:	ret
