# attack: twice a number less sixteen times it
# property: P1
# expect: V-31 store-outside-region bad
# state: 1000
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	mov rax, rcx
	shl rax, 4
	add rcx, rcx
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
out:
	ret
