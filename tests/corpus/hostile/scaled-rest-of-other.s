# attack: twice a number less 4 is taken from eight times it: 4 more than six times it
# property: P1
# expect: V-31 store-outside-region bad
# state: 295
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	mov rax, rcx
	shl rax, 3
	lea rcx, [rcx*2 - 4]
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
