# attack: three times an address whose offset is a number
# property: P1
# expect: V-31 store-outside-region bad
# state: 800
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	lea rdx, [rsi + rcx]
	lea rax, [rcx + rdx*2]
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
